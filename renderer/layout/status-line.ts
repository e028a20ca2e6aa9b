import { toServiceState } from '../../shared/service-state.ts';
import type { Status } from '../../shared/status.ts';

/** The state of Gatehouse as a short label and as a sentence. */
export interface StatusLine {
  readonly tone: 'good' | 'warn' | 'bad' | 'none';
  readonly title: string;
  readonly detail: string;
}

/** `undefined` while the state is unknown. */
export function toStatusLine(status: Status | undefined, gone: boolean): StatusLine {
  if (gone) return { tone: 'bad', title: 'Not running', detail: 'Gatehouse does not answer.' };
  if (status === undefined) return { tone: 'none', title: 'Connecting…', detail: 'One moment.' };
  return describeStatus(status);
}

function describeStatus(status: Status): StatusLine {
  const { key, reach, upstream, baseUrls } = status;
  const { name } = upstream;
  switch (toServiceState(status)) {
    case 'paused':
      return { tone: 'warn', title: 'Paused', detail: PAUSED };
    case 'keyless':
      return { tone: 'bad', title: `${name}: no key`, detail: key.sentence };
    case 'key-refused':
      return { tone: 'bad', title: `${name}: key refused`, detail: REFUSED };
    case 'unreachable':
      return { tone: 'bad', title: `${name}: unreachable`, detail: reach.sentence };
    case 'limited':
      return { tone: 'warn', title: `${name}: limit reached`, detail: LIMITED };
    case 'running':
      return { tone: 'good', title: name, detail: `Running at ${baseUrls.messages} with ${name}.` };
  }
}

const PAUSED = 'New requests are refused and no videos are ordered until you resume.';
const REFUSED = 'The service refused the service key. Enter another in Settings.';
const LIMITED =
  'The service reports that a limit is reached (429). Wait a while, or check your plan there.';
