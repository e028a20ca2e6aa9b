import { toServiceState } from '../../shared/service-state.ts';
import { formatSince } from '../../shared/format.ts';
import type { Status } from '../../shared/status.ts';

/** The state of Gatehouse as a short label and as a sentence. */
export interface StatusLine {
  readonly tone: 'good' | 'warn' | 'bad' | 'none';
  readonly title: string;
  readonly detail: string;
}

interface Seen {
  /** Whether the engine does not answer. */
  readonly gone: boolean;
  /** Unix milliseconds. */
  readonly now: number;
}

/** `status` is `undefined` while the state is unknown. */
export function toStatusLine(status: Status | undefined, { gone, now }: Seen): StatusLine {
  if (gone) return { tone: 'bad', title: 'Not running', detail: 'Gatehouse does not answer.' };
  if (status === undefined) return { tone: 'none', title: 'Connecting…', detail: 'One moment.' };
  return describeStatus(status, now);
}

function describeStatus(status: Status, now: number): StatusLine {
  const { key, reach, upstream, baseUrls, pausedAt } = status;
  const { name } = upstream;
  switch (toServiceState(status)) {
    case 'paused':
      return {
        tone: 'warn',
        title: pausedAt === null ? 'Paused' : `Paused since ${formatSince(pausedAt, now)}`,
        detail: PAUSED,
      };
    case 'keyless':
      return { tone: 'bad', title: `${name}: no key`, detail: key.sentence };
    case 'key-refused':
      return { tone: 'bad', title: `${name}: key refused`, detail: REFUSED };
    case 'unreachable':
      return { tone: 'bad', title: `${name}: unreachable`, detail: reach.sentence };
    case 'limited':
      return { tone: 'warn', title: `${name}: limit reached`, detail: LIMITED };
    case 'running':
      // The sandbox runs on this machine; a service that nobody has asked yet may not.
      if (upstream.kind === 'service' && reach.state === 'unknown')
        return { tone: 'none', title: name, detail: `${name}: ${lowerFirst(reach.sentence)}` };
      if (reach.state === 'doubtful')
        return { tone: 'warn', title: `${name}: no JSON`, detail: reach.sentence };
      return { tone: 'good', title: name, detail: `Running at ${baseUrls.messages} with ${name}.` };
  }
}

function lowerFirst(text: string): string {
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
}

const PAUSED = 'New requests are refused and no videos are ordered until you resume.';
const REFUSED = 'The service refused the service key. Enter another in Settings.';
const LIMITED =
  'The service reports that a limit is reached (429). Wait a while, or check your plan there.';
