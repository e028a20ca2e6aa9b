import ipaddr from 'ipaddr.js';
import type { FurtherListener } from '../../shared/connect/further-listener.ts';
import { isPrivateAddress } from '../lib/own-addresses.ts';
import { UserError } from '../errors.ts';

/** Checks listeners, and returns each with its address in the usual notation. @throws UserError */
export function checkListeners(listeners: readonly FurtherListener[]): FurtherListener[] {
  const checked = listeners.map(({ name, address }) => ({ name, address: checkAddress(address) }));
  for (const [index, { name, address }] of checked.entries()) {
    const others = checked.slice(index + 1);
    if (others.some((other) => other.address === address)) {
      throw new UserError(`Gatehouse listens at ${address} already.`, 'furtherListeners');
    }
    if (others.some((other) => other.name.toLowerCase() === name.toLowerCase())) {
      throw new UserError(`There is already a listener "${name}".`, 'furtherListeners');
    }
  }
  return checked;
}

function checkAddress(text: string): string {
  if (!ipaddr.isValid(text) || text.includes('%')) {
    throw refusal(`“${text}” is not an IP address. Enter one address of this machine.`);
  }
  const address = ipaddr.process(text);
  const range = address.range();
  if (range === 'loopback') {
    throw refusal('Programs on this machine reach Gatehouse already, without another listener.');
  }
  if (range === 'unspecified') {
    throw refusal(
      `${text} stands for every network of this machine, also foreign ones. Enter one address of this machine.`,
    );
  }
  if (!isPrivateAddress(text)) {
    throw refusal(
      `${text} is not an address of a private network. What is sent there is not encrypted, so use a tunnel instead, such as that of SSH.`,
    );
  }
  return address.toString();
}

function refusal(reason: string): UserError {
  return new UserError(reason, 'furtherListeners');
}
