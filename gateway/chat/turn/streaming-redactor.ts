import type { AnswerDelta } from '../protocol/answer-reader.ts';

/** Shorter keys, as services on one's own machine have them (`none`, `test`), are words that stand in good answers, too. */
const MIN_LENGTH = 16;
const MASK = '<service key>';

/** Takes secrets out of a text that comes in pieces, wherever the pieces cut them: what may be the beginning of one is held until more came. */
class TextRedactor {
  readonly #secrets: () => readonly string[];
  #buffered = '';

  constructor(secrets: () => readonly string[]) {
    this.#secrets = secrets;
  }

  /** What can be told by now. */
  push(more: string): string {
    if (more === '') return '';
    const secrets = this.#secrets().filter(({ length }) => length >= MIN_LENGTH);
    const text = secrets.reduce((clean, one) => clean.replaceAll(one, MASK), this.#buffered + more);
    const tailLength = Math.max(0, ...secrets.map((secret) => commonLength(secret, text)));
    this.#buffered = text.slice(text.length - tailLength);
    return text.slice(0, text.length - tailLength);
  }

  /** What was held: nothing follows that could make a secret of it. Most of one is masked, too. */
  flush(): string {
    const buffered = this.#buffered;
    this.#buffered = '';
    return buffered.length < MIN_LENGTH / 2 ? buffered : MASK;
  }
}

/** The same for the two texts of an answer. */
export class StreamingRedactor {
  readonly #text: TextRedactor;
  readonly #reasoning: TextRedactor;

  constructor(secrets: () => readonly string[]) {
    this.#text = new TextRedactor(secrets);
    this.#reasoning = new TextRedactor(secrets);
  }

  pass({ text, reasoning }: AnswerDelta): AnswerDelta {
    return { text: this.#text.push(text), reasoning: this.#reasoning.push(reasoning) };
  }

  rest(): AnswerDelta {
    return { text: this.#text.flush(), reasoning: this.#reasoning.flush() };
  }
}

/** How many characters at the end of a text are the beginning of a secret. */
function commonLength(secret: string, text: string): number {
  const most = Math.min(secret.length - 1, text.length);
  for (let length = most; length > 0; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return length;
  }
  return 0;
}
