import { pluralize } from '../../shared/format.ts';
import type { DesktopState } from '../../shared/desktop/desktop-contract.ts';
import { toServiceState } from '../../shared/service-state.ts';
import type { Status } from '../../shared/status.ts';
import type { GatewaySnapshot } from './gateway-monitor.ts';

/** The known state of the app and its gateway. */
export interface AppState extends DesktopState {
  /** `null` while no engine answers. */
  readonly snapshot: GatewaySnapshot | null;
  readonly quitting: boolean;
}

/** A short summary of the state. `level` selects the icon, which is never shown without text. */
export interface StatusSummary {
  readonly level: 'normal' | 'alert' | 'paused';
  readonly title: string;
  /** An explanation in one sentence; empty when the title is enough. */
  readonly detail: string;
}

/** Describes the state for people, the most urgent fact first. */
export function summarizeStatus({ engine, snapshot, quitting }: AppState): StatusSummary {
  if (quitting || engine.name === 'closed') {
    return { level: 'paused', title: quitLabel('Quitting', snapshot?.running ?? 0), detail: '' };
  }
  if (engine.name === 'refused') return alert('Stopped', engine.sentence);
  if (engine.name === 'down') {
    return alert(
      'Stopped',
      engine.againAt === null
        ? 'Gatehouse keeps stopping.'
        : 'Gatehouse stopped unexpectedly and is restarting.',
    );
  }
  return snapshot === null
    ? { level: 'normal', title: 'Starting', detail: '' }
    : summarizeGateway(snapshot.status);
}

/** Returns the label of the menu item: `Quit`, or `Quit when 2 requests have ended`. */
export function quitLabel(verb: 'Quit' | 'Quitting', running: number): string {
  if (running === 0) return verb;
  return `${verb} when ${pluralize(running, 'request')} ${running === 1 ? 'has' : 'have'} ended`;
}

const PAUSED = 'New requests are refused and no videos are ordered.';
const REFUSED = 'The service refused the service key. Enter another in Settings.';
const LIMITED = 'The service reports that a limit of the account is reached.';
const KEYLESS: Readonly<Partial<Record<Status['key']['name'], string>>> = {
  missing: 'Key missing',
  locked: 'Keychain locked',
  unavailable: 'No keychain',
};

function summarizeGateway(status: Status): StatusSummary {
  const { key, reach, upstream } = status;
  switch (toServiceState(status)) {
    case 'paused':
      return { level: 'paused', title: 'Paused', detail: PAUSED };
    case 'keyless':
      return alert(KEYLESS[key.name] ?? 'No key', key.sentence);
    case 'key-refused':
      return alert('Key refused', REFUSED);
    case 'unreachable':
      return alert('Service unreachable', reach.sentence);
    case 'limited':
      return alert('Limit reached', LIMITED);
    case 'running':
      return reach.state === 'doubtful'
        ? alert('Answers are not JSON', reach.sentence)
        : { level: 'normal', title: `Running with ${upstream.name}`, detail: '' };
  }
}

function alert(title: string, detail: string): StatusSummary {
  return { level: 'alert', title, detail };
}
