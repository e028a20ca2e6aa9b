import { type ChatFile, MAX_MESSAGE_LENGTH } from '../../../../shared/chat.ts';
import { formatCount } from '../../../../shared/format.ts';

/** Number of characters from which the length is shown. */
const SHOWN_FROM = MAX_MESSAGE_LENGTH * 0.8;

export interface MessageLength {
  /** `212,000 of 250,000 characters`; `null` while the message is far from the limit. */
  readonly label: string | null;
  readonly tooLong: boolean;
}

/** Measures a message against its maximum length. */
export function measureMessage(text: string, files: readonly ChatFile[]): MessageLength {
  const length = files.reduce(
    (sum, file) => sum + (file.kind === 'text' ? file.text.length : 0),
    text.length,
  );
  const words = `${formatCount(length)} of ${formatCount(MAX_MESSAGE_LENGTH)} characters`;
  return { label: length < SHOWN_FROM ? null : words, tooLong: length > MAX_MESSAGE_LENGTH };
}
