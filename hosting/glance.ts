import type { DesktopState } from '../shared/desktop-contract.ts';
import { standingOf } from '../shared/standing.ts';
import type { Status } from '../shared/status.ts';
import type { Seen } from './watch.ts';

/** What is known of the app and its gateway. */
export interface Facts extends DesktopState {
  /** `null` while no engine answers. */
  readonly seen: Seen | null;
  readonly leaving: boolean;
}

/** The state at a glance. `mood` chooses the icon, which never stands alone. */
export interface Glance {
  readonly mood: 'normal' | 'alert' | 'paused';
  readonly words: string;
  /** What it means, in a sentence; empty when the words say it all. */
  readonly more: string;
}

/** The state in words for people, the most urgent first. */
export function glanceAt({ engine, seen, leaving }: Facts): Glance {
  if (leaving || engine.name === 'closed') {
    return { mood: 'paused', words: quitWords('Quitting', seen?.running ?? 0), more: '' };
  }
  if (engine.name === 'refused') return alert('Stopped', engine.sentence);
  if (engine.name === 'down') {
    return alert(
      'Stopped',
      engine.againAt === null
        ? 'Gatehouse ended by itself again and again.'
        : 'Gatehouse ended by itself and starts again.',
    );
  }
  return seen === null ? { mood: 'normal', words: 'Starting', more: '' } : stateOf(seen.status);
}

/** `Quit`, or what it waits for: `Quit when 2 requests have ended`. */
export function quitWords(verb: 'Quit' | 'Quitting', running: number): string {
  if (running === 0) return verb;
  return `${verb} when ${counted(running, 'request')} ${running === 1 ? 'has' : 'have'} ended`;
}

/** `1 request`, `2 requests`. */
export function counted(count: number, one: string): string {
  return `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`;
}

const PAUSED = 'Clients are turned away, and no video is ordered.';
const REFUSED = 'The service refused the service key. Give another in Settings.';
const LIMITED = 'The service says that a limit of the account is reached.';
const KEYLESS: Readonly<Partial<Record<Status['key']['name'], string>>> = {
  missing: 'Key missing',
  locked: 'Keychain locked',
  unavailable: 'No keychain',
};

function stateOf(status: Status): Glance {
  const { key, reach, upstream } = status;
  switch (standingOf(status)) {
    case 'paused':
      return { mood: 'paused', words: 'Paused', more: PAUSED };
    case 'keyless':
      return alert(KEYLESS[key.name] ?? 'No key', key.sentence);
    case 'key-refused':
      return alert('Key refused', REFUSED);
    case 'unreachable':
      return alert('Service unreachable', reach.sentence);
    case 'limited':
      return alert('Limit reached', LIMITED);
    case 'running':
      return { mood: 'normal', words: `Running for ${upstream.name}`, more: '' };
  }
}

function alert(words: string, more: string): Glance {
  return { mood: 'alert', words, more };
}
