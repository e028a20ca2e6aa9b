import { type JsonObject, asObject } from '../lib/json-object.ts';

/** More than any service gives at once; bounds what is tracked. */
const MAX_CHOICES = 256;
/** Inside a JSON string the quotes would be escaped, so text written by a model does not match. */
const INDEX = /"index"\s*:\s*(\d{1,9})/g;

/** Tracks the choices of a chat stream (spec section 2.3), and which of them have finished. */
export class ChoiceTracker {
  readonly #finished = new Map<number, boolean>();

  /** Whether there was a choice and every choice seen has finished. */
  get allFinished(): boolean {
    return this.#finished.size > 0 && [...this.#finished.values()].every(Boolean);
  }

  /** Returns whether the text of an event may contain a new choice. Tool calls have an index, too. */
  mayShowNewChoice(data: string): boolean {
    for (const [, index] of data.matchAll(INDEX)) {
      if (!this.#finished.has(Number(index))) return true;
    }
    return false;
  }

  /** An empty `finish_reason` does not count: some services put one into every chunk. */
  read(data: JsonObject): void {
    const choices = data['choices'];
    if (!Array.isArray(choices)) return;
    for (const [place, item] of choices.entries()) {
      const choice = asObject(item);
      if (choice === null) continue;
      const index = typeof choice['index'] === 'number' ? choice['index'] : place;
      const reason = choice['finish_reason'];
      const finished = typeof reason === 'string' && reason !== '';
      const before = this.#finished.get(index);
      if (before === undefined && this.#finished.size >= MAX_CHOICES) continue;
      this.#finished.set(index, finished || before === true);
    }
  }
}
