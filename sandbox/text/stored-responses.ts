import { RefusalError } from '../http/errors.ts';
import type { JsonObject } from '../json.ts';

/** Responses that are stored at most, and the items of their conversations. */
const MAX_RESPONSES = 1_000;
const MAX_ITEMS = 100_000;

/** The latest responses of an account, each with the items of its conversation, which a later request continues. */
export class StoredResponses {
  readonly #items = new Map<string, readonly JsonObject[]>();
  #count = 0;

  /** Stores a response with its conversation: the input, and its output. The oldest are dropped. */
  add(id: string, items: readonly JsonObject[]): void {
    this.#items.set(id, items);
    this.#count += items.length;
    for (const [oldest, { length }] of this.#items) {
      if (this.#items.size <= MAX_RESPONSES && this.#count <= MAX_ITEMS) break;
      this.#items.delete(oldest);
      this.#count -= length;
    }
  }

  /** Returns the conversation of a response. @throws RefusalError 400 when it is not stored */
  require(id: string): readonly JsonObject[] {
    const items = this.#items.get(id);
    if (items !== undefined) return items;
    throw new RefusalError({
      status: 400,
      code: 'previous_response_not_found',
      message: `Previous response with id '${id}' not found.`,
    });
  }
}
