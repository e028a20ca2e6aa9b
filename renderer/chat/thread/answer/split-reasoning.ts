/** The text of an answer, and the reasoning before it. */
export interface SplitAnswer {
  readonly reasoning: string;
  readonly text: string;
  /** Whether the reasoning is still open, as far as the text tells. */
  readonly open: boolean;
}

const OPENING = /^\s*<think>/u;
const CLOSING = '</think>';

/** Splits off reasoning that some models write at the beginning of the text itself, in `<think>…</think>`. */
export function splitReasoning(text: string, reasoning: string): SplitAnswer {
  const opening = OPENING.exec(text)?.[0];
  if (opening === undefined) return { reasoning, text, open: false };
  const end = text.indexOf(CLOSING, opening.length);
  const thought = text.slice(opening.length, end === -1 ? undefined : end).trim();
  return {
    reasoning: reasoning === '' ? thought : `${reasoning}\n\n${thought}`,
    text: end === -1 ? '' : text.slice(end + CLOSING.length).trimStart(),
    open: end === -1,
  };
}
