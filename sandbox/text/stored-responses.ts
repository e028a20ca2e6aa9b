import { RefusalError } from '../http/errors.ts';
import type { JsonObject } from '../json.ts';

/** Responses that are stored at most, the items of their conversations, and the bytes of those as JSON. */
const MAX_RESPONSES = 1_000;
const MAX_ITEMS = 100_000;
const MAX_BYTES = 64 * 2 ** 20;

/** The items of a conversation, and their bytes as JSON. */
interface Conversation {
  readonly items: readonly JsonObject[];
  readonly bytes: number;
}

/** The latest responses of an account, each with the items of its conversation, which a later request continues. */
export class StoredResponses {
  readonly #conversations = new Map<string, Conversation>();
  /** The bytes of each item. Most are in the conversation of the response before, too. */
  readonly #sizes = new WeakMap<JsonObject, number>();
  #count = 0;
  #bytes = 0;

  /** Stores a response with its conversation: the input, and its output. The oldest are dropped, but never the newest. */
  add(id: string, items: readonly JsonObject[]): void {
    const bytes = items.reduce((sum, item) => sum + this.#measure(item), 0);
    this.#conversations.set(id, { items, bytes });
    this.#count += items.length;
    this.#bytes += bytes;
    for (const [oldest, dropped] of this.#conversations) {
      if (oldest === id || this.#isWithinLimits()) break;
      this.#conversations.delete(oldest);
      this.#count -= dropped.items.length;
      this.#bytes -= dropped.bytes;
    }
  }

  /** Returns the conversation of a response. @throws RefusalError 400 when it is not stored */
  require(id: string): readonly JsonObject[] {
    const conversation = this.#conversations.get(id);
    if (conversation !== undefined) return conversation.items;
    throw new RefusalError({
      status: 400,
      code: 'previous_response_not_found',
      message: `Previous response with id '${id}' not found.`,
    });
  }

  #measure(item: JsonObject): number {
    const bytes = this.#sizes.get(item) ?? Buffer.byteLength(JSON.stringify(item));
    this.#sizes.set(item, bytes);
    return bytes;
  }

  #isWithinLimits(): boolean {
    return (
      this.#conversations.size <= MAX_RESPONSES &&
      this.#count <= MAX_ITEMS &&
      this.#bytes <= MAX_BYTES
    );
  }
}
