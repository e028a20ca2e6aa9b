import type { Piece } from './answer-reader.ts';

/** Shorter keys, as services on one's own machine have them (`none`, `test`), are words that stand in good answers, too. */
const SHORTEST = 16;
const MASK = '<service key>';

/** Takes secrets out of a text that comes in pieces, wherever the pieces cut them: what may be the beginning of one is held until more came. */
class SecretHold {
  readonly #secrets: () => readonly string[];
  #held = '';

  constructor(secrets: () => readonly string[]) {
    this.#secrets = secrets;
  }

  /** What can be told by now. */
  pass(more: string): string {
    if (more === '') return '';
    const secrets = this.#secrets().filter(({ length }) => length >= SHORTEST);
    const text = secrets.reduce((clean, one) => clean.replaceAll(one, MASK), this.#held + more);
    const kept = Math.max(0, ...secrets.map((secret) => beginning(secret, text)));
    this.#held = text.slice(text.length - kept);
    return text.slice(0, text.length - kept);
  }

  /** What was held: nothing follows that could make a secret of it. Most of one is masked, too. */
  rest(): string {
    const held = this.#held;
    this.#held = '';
    return held.length < SHORTEST / 2 ? held : MASK;
  }
}

/** The same for the two texts of an answer. */
export class PieceHold {
  readonly #text: SecretHold;
  readonly #reasoning: SecretHold;

  constructor(secrets: () => readonly string[]) {
    this.#text = new SecretHold(secrets);
    this.#reasoning = new SecretHold(secrets);
  }

  pass({ text, reasoning }: Piece): Piece {
    return { text: this.#text.pass(text), reasoning: this.#reasoning.pass(reasoning) };
  }

  rest(): Piece {
    return { text: this.#text.rest(), reasoning: this.#reasoning.rest() };
  }
}

/** How many characters at the end of a text are the beginning of a secret. */
function beginning(secret: string, text: string): number {
  const most = Math.min(secret.length - 1, text.length);
  for (let length = most; length > 0; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return length;
  }
  return 0;
}
