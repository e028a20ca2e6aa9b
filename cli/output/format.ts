import { formatDay, formatDuration, formatTimeOfDay } from '../../shared/format.ts';

/** Formats a duration in one figure: `12 s`, `3 min`, `2 h 5 min`, `4 days`. */
export function formatElapsed(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) {
    return `${seconds} s`;
  }
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : formatDuration(minutes * 60_000);
}

/** Formats a Unix time in milliseconds as local date and time: `2026-11-21 09:30:05`; an en dash for `null`. */
export function formatTimestamp(at: number | null): string {
  if (at === null) {
    return '–';
  }
  return `${formatDay(at)} ${formatTimeOfDay(at)}`;
}

/** Cuts a text to `length` characters, the last one an ellipsis when something was cut off. */
export function truncate(text: string, length: number): string {
  const letters = Array.from(text);
  return letters.length <= length ? text : `${letters.slice(0, length - 1).join('')}…`;
}

/** Matches words and parts that must not be broken: a quotation, and a command to paste up to the end of the text. */
const UNBREAKABLE =
  /\S*"[^"]*"\S*|(?:npm run -s gatehouse -- |gatehouse (?=(?:serve|open|status|pause|resume|sandbox|ask|video|models|key|clients|prices|limits|services|listeners|stop|completion|history|show|runs|replay|mark|delete|usage|export|doctor|restore|help|connect|disconnect|run|env|use|aliases)\b)|chmod ).*|\S+/gu;

/** Replaces every character that could move the cursor or change the direction of writing. */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}

/** Replaces what could steer a terminal in a text of several lines; line ends and tabs are kept. */
export function escapeAnswer(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}

/** Wraps a text to lines of at most `width` characters; a longer word has a line of its own. */
export function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const [word] of text.matchAll(UNBREAKABLE)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) {
      lines.push(word);
    } else {
      lines[lines.length - 1] = `${last} ${word}`;
    }
  }
  return lines;
}

/** Wraps every line of a text that is longer than `width`; indented ones are meant for pasting and are not wrapped. `null`: no limit. */
export function wrapLines(text: string, width: number | null): readonly string[] {
  return text
    .split('\n')
    .flatMap((line) =>
      width === null || /^(?:\s|$)/u.test(line) ? [line] : wrapText(line, width),
    );
}
