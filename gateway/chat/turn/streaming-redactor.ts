import type { AnswerDelta } from '../protocol/answer-reader.ts';

/** Shorter keys, as local services have them (`none`, `test`), are words that occur in valid answers. */
const MIN_LENGTH = 16;
const MASK = '<service key>';

/**
 * Removes secrets from a text that arrives in chunks, wherever they are split: a possible beginning of a secret is held back
 * until more arrives.
 */
class TextRedactor {
  readonly #secrets: () => readonly string[];
  #buffered = '';

  constructor(secrets: () => readonly string[]) {
    this.#secrets = secrets;
  }

  /** Adds text. Returns the part that can be shown now. */
  push(more: string): string {
    if (more === '') return '';
    const secrets = this.#secrets().filter(({ length }) => length >= MIN_LENGTH);
    const text = secrets.reduce(
      (masked, secret) => masked.replaceAll(secret, MASK),
      this.#buffered + more,
    );
    const tailLength = Math.max(0, ...secrets.map((secret) => commonLength(secret, text)));
    this.#buffered = text.slice(text.length - tailLength);
    return text.slice(0, text.length - tailLength);
  }

  /** Returns the text that was held back. A large part of a secret is masked, too. */
  flush(): string {
    const buffered = this.#buffered;
    this.#buffered = '';
    return buffered.length < MIN_LENGTH / 2 ? buffered : MASK;
  }
}

/** Redacts the text and the reasoning of an answer. */
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

/** Returns how many characters at the end of a text are the beginning of a secret. */
function commonLength(secret: string, text: string): number {
  const maxLength = Math.min(secret.length - 1, text.length);
  for (let length = maxLength; length > 0; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return length;
  }
  return 0;
}
