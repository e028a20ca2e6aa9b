import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import type { FurtherListener, OwnAddress } from '../../shared/settings.ts';
import { UserError } from '../errors.ts';

/** Kinds of addresses that only machines of the own network can reach, as ipaddr.js names them. */
const PRIVATE_RANGES: ReadonlySet<string> = new Set(['private', 'uniqueLocal', 'carrierGradeNat']);

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
  const refuse = (reason: string) => new UserError(reason, 'furtherListeners');
  if (!ipaddr.isValid(text) || text.includes('%')) {
    throw refuse(`“${text}” is not an IP address. Enter one address of this machine.`);
  }
  const address = ipaddr.process(text);
  const range = address.range();
  if (range === 'loopback') {
    throw refuse('Programs on this machine reach Gatehouse already, without another listener.');
  }
  if (range === 'unspecified') {
    throw refuse(
      `${text} stands for every network of this machine, also foreign ones. Enter one address of this machine.`,
    );
  }
  if (!PRIVATE_RANGES.has(range)) {
    throw refuse(
      `${text} is not an address of a private network. What is sent there is not encrypted, so use a tunnel instead, such as that of SSH.`,
    );
  }
  return address.toString();
}

/** Lists the addresses of this machine that a further listener may have. */
export function listPrivateAddresses(): OwnAddress[] {
  return Object.entries(networkInterfaces()).flatMap(([network, entries = []]) =>
    entries
      .filter(({ address }) => PRIVATE_RANGES.has(ipaddr.process(address).range()))
      .map(({ address }) => ({ address: ipaddr.process(address).toString(), network })),
  );
}
