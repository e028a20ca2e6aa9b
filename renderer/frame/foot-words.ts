import type { Status } from '../../shared/status.ts';

/** The state of Gatehouse in a few words, and in a sentence. */
export interface FootWords {
  readonly tone: 'good' | 'warn' | 'bad' | 'none';
  readonly words: string;
  readonly more: string;
}

/** What matters most comes first. `undefined`: nothing is known yet. */
export function footWords(status: Status | undefined, gone: boolean): FootWords {
  if (gone) return { tone: 'bad', words: 'Not running', more: 'Gatehouse does not answer.' };
  if (status === undefined) return { tone: 'none', words: 'Connecting…', more: 'One moment.' };
  const { key, keyRefusedAt, limitedAt, paused, reach, upstream } = status;
  if (paused) return { tone: 'warn', words: 'Paused', more: PAUSED };
  const keyless = key.name === 'missing' || key.name === 'locked' || key.name === 'unavailable';
  if (keyless) return { tone: 'bad', words: `${upstream.name}: no key`, more: key.sentence };
  if (keyRefusedAt !== null) {
    return {
      tone: 'bad',
      words: `${upstream.name}: key refused`,
      more: 'The service refused the service key. Give another in Settings.',
    };
  }
  if (reach.state === 'unreachable') {
    return { tone: 'bad', words: `${upstream.name}: unreachable`, more: reach.sentence };
  }
  if (limitedAt !== null) {
    return { tone: 'warn', words: `${upstream.name}: limit reached`, more: LIMITED };
  }
  return {
    tone: 'good',
    words: upstream.name,
    more: `Running at ${status.baseUrls.messages} for ${upstream.name}.`,
  };
}

const PAUSED = 'Clients are turned away, and no video is ordered, until you resume.';
const LIMITED =
  'The service said that you reached a limit (429). Wait a while, or look at your plan there.';
