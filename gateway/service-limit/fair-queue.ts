/** Maximum of entries of one client. */
export const MAX_PER_CLIENT = 512;
/** Maximum of entries of all clients. */
const MAX_WAITING = 2_048;

export interface Waiting {
  readonly client: string;
}

/** A bounded queue with round-robin among clients: each client has a queue of its own. */
export class FairQueue<Entry extends Waiting> {
  /** The queue of each client; the next one is first. */
  readonly #lines = new Map<string, Set<Entry>>();
  /** All entries in the order of arrival. */
  readonly #all = new Set<Entry>();

  get size(): number {
    return this.#all.size;
  }

  /** Iterates over the entries, oldest first. */
  get entries(): Iterable<Entry> {
    return this.#all;
  }

  /** The oldest entry. */
  get oldest(): Entry | undefined {
    return this.#all.values().next().value;
  }

  /** Adds an entry. Returns `false` when the queue is full. */
  add(entry: Entry): boolean {
    const line = this.#lines.get(entry.client);
    if (this.#all.size >= MAX_WAITING || (line?.size ?? 0) >= MAX_PER_CLIENT) return false;
    if (line === undefined) this.#lines.set(entry.client, new Set([entry]));
    else line.add(entry);
    this.#all.add(entry);
    return true;
  }

  /** Removes and returns the next entry. */
  next(): Entry | undefined {
    const [next] = this.#lines;
    if (next === undefined) return undefined;
    const [client, line] = next;
    const entry = line.values().next().value;
    if (entry === undefined) return undefined;
    this.remove(entry);
    if (line.size === 0) return entry;
    this.#lines.delete(client);
    this.#lines.set(client, line);
    return entry;
  }

  /** Removes an entry. Returns `false` when it was not there. */
  remove(entry: Entry): boolean {
    if (!this.#all.delete(entry)) return false;
    const line = this.#lines.get(entry.client);
    line?.delete(entry);
    if (line?.size === 0) this.#lines.delete(entry.client);
    return true;
  }
}
