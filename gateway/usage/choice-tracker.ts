import { type JsonObject, asObject } from '../lib/json-object.ts';

/** More than any service gives at once, and a bound for what is remembered. */
const MAX_CHOICES = 256;
/** Inside a JSON string the quotes would be escaped, so text that a model writes does not match. */
const INDEX = /"index"\s*:\s*(\d{1,9})/g;

/** The choices of a chat stream (spec section 2.3) that were seen, and which of them have finished. */
export class ChoiceTracker {
  readonly #finished = new Map<number, boolean>();

  /** Every choice that was seen has finished, and there was one. */
  get allFinished(): boolean {
    return this.#finished.size > 0 && [...this.#finished.values()].every(Boolean);
  }

  /** Whether the text of an event may show a choice for the first time. Calls of tools have an index too. */
  mayShowNewChoice(data: string): boolean {
    for (const [, index] of data.matchAll(INDEX)) {
      if (!this.#finished.has(Number(index))) return true;
    }
    return false;
  }

  /** An empty `finish_reason` is none: some services put one into every chunk. */
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
