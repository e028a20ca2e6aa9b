import { standingOf } from '../../shared/standing.ts';
import type { Status } from '../../shared/status.ts';

/** The state of Gatehouse in a few words, and in a sentence. */
export interface FootWords {
  readonly tone: 'good' | 'warn' | 'bad' | 'none';
  readonly words: string;
  readonly more: string;
}

/** `undefined`: nothing is known yet. */
export function footWords(status: Status | undefined, gone: boolean): FootWords {
  if (gone) return { tone: 'bad', words: 'Not running', more: 'Gatehouse does not answer.' };
  if (status === undefined) return { tone: 'none', words: 'Connecting…', more: 'One moment.' };
  return wordsOf(status);
}

function wordsOf(status: Status): FootWords {
  const { key, reach, upstream, baseUrls } = status;
  const { name } = upstream;
  switch (standingOf(status)) {
    case 'paused':
      return { tone: 'warn', words: 'Paused', more: PAUSED };
    case 'keyless':
      return { tone: 'bad', words: `${name}: no key`, more: key.sentence };
    case 'key-refused':
      return { tone: 'bad', words: `${name}: key refused`, more: REFUSED };
    case 'unreachable':
      return { tone: 'bad', words: `${name}: unreachable`, more: reach.sentence };
    case 'limited':
      return { tone: 'warn', words: `${name}: limit reached`, more: LIMITED };
    case 'running':
      return { tone: 'good', words: name, more: `Running at ${baseUrls.messages} for ${name}.` };
  }
}

const PAUSED = 'Clients are turned away, and no video is ordered, until you resume.';
const REFUSED = 'The service refused the service key. Give another in Settings.';
const LIMITED =
  'The service said that you reached a limit (429). Wait a while, or look at your plan there.';
