import { type ChatFile, MOST_SAID } from '../../../../shared/chat.ts';
import { countText } from '../../../parts/figures.ts';

/** From here on the length is shown. */
const NEAR = MOST_SAID * 0.8;

export interface SaidLength {
  /** `212,000 of 250,000 characters`; `null` while there is room enough. */
  readonly words: string | null;
  readonly tooLong: boolean;
}

/** How much of what one message may hold is used. */
export function saidLength(text: string, files: readonly ChatFile[]): SaidLength {
  const length = files.reduce(
    (sum, file) => sum + (file.kind === 'text' ? file.text.length : 0),
    text.length,
  );
  const words = `${countText(length)} of ${countText(MOST_SAID)} characters`;
  return { words: length < NEAR ? null : words, tooLong: length > MOST_SAID };
}
