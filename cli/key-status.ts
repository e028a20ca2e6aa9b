import { processOf } from '../hosting/lock.ts';
import type { KeyState, KeyStateName } from '../shared/upstream.ts';
import { CommandFailed } from './problem.ts';
import type { Rooms } from './rooms.ts';
import { findServiceInUse } from './service-in-use.ts';
import type { ServiceInUse } from './service-in-use.ts';
import { keyWithoutService, openServiceKey } from './service.ts';
import type { ServiceFlags } from './service.ts';
import type { Shell } from './shell.ts';

interface StatusFlags extends ServiceFlags {
  readonly json?: boolean;
}

/** `gatehouse key status`: where the service key is. @throws CommandFailed without one */
export async function showKeyStatus(shell: Shell, rooms: Rooms, flags: StatusFlags): Promise<void> {
  const inUse = await findServiceInUse(shell, rooms, flags);
  const { service, running } = inUse;
  const { name, sentence } = await keyStateOf(shell, rooms, inUse);
  const upstream = service?.baseUrl ?? null;
  if (flags.json === true) {
    shell.terminal.printJson({ upstream, state: name, sentence, running: running !== null });
    if (!isUsable(name)) throw new CommandFailed('');
    return;
  }
  if (upstream === null) throw new CommandFailed(sentence);
  const by =
    running === null ? '' : `, used by the Gatehouse that runs here (${processOf(running)})`;
  shell.terminal.say(`${sentence}\nService: ${upstream}${by}`);
  if (!isUsable(name)) throw new CommandFailed(adviceFor(name, shell.command));
}

/** As the Gatehouse that runs here has it; it may have a key that this shell does not know. */
async function keyStateOf(
  shell: Shell,
  { host }: Rooms,
  { service, running }: ServiceInUse,
): Promise<KeyState> {
  if (service === null) {
    const none = `No service is configured yet. Name one: ${shell.command} key set --upstream https://models.example.com`;
    const sentence =
      running === null
        ? (keyWithoutService(shell) ?? none)
        : `The Gatehouse that runs here (${processOf(running)}) uses the sandbox, which needs no service key.`;
    return { name: 'missing', sentence };
  }
  if (running?.key != null) return running.key;
  return (await openServiceKey(shell, { host, account: service.baseUrl })).state();
}

/** Whether there is a key to use in this state. */
export function isUsable(name: KeyStateName): boolean {
  return ['keychain', 'environment', 'this-run', 'file'].includes(name);
}

/** What a person can do about a state without a usable key; empty when there is nothing to do. */
export function adviceFor(state: KeyStateName, command: string): string {
  switch (state) {
    case 'missing':
      return `Add one: ${command} key set`;
    case 'locked':
      return 'Unlock the keychain of your session, then try again.';
    case 'unavailable':
      return `Give the key in GATEHOUSE_UPSTREAM_KEY, or for one run with "${command} serve --ask-key", or keep it with "${command} key set --plain-text-file".`;
    case 'keychain':
    case 'environment':
    case 'this-run':
    case 'file':
      return '';
  }
}
