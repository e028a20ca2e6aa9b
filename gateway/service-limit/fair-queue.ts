/** Entries of one client at the same time. */
export const MAX_PER_CLIENT = 512;
/** Of all clients together. */
const MAX_WAITING = 2_048;

export interface Waiting {
  readonly client: string;
}

/** A bounded queue in which clients take turns: each has a line of its own, and every turn goes to the next line. */
export class FairQueue<Entry extends Waiting> {
  /** By client; the line whose turn comes next stands first. */
  readonly #lines = new Map<string, Set<Entry>>();
  /** All of them, by the time at which they came. */
  readonly #all = new Set<Entry>();

  get size(): number {
    return this.#all.size;
  }

  /** Oldest first. */
  get entries(): Iterable<Entry> {
    return this.#all;
  }

  /** The one that has waited longest. */
  get oldest(): Entry | undefined {
    return this.#all.values().next().value;
  }

  /** False when there is no room for it. */
  add(entry: Entry): boolean {
    const line = this.#lines.get(entry.client);
    if (this.#all.size >= MAX_WAITING || (line?.size ?? 0) >= MAX_PER_CLIENT) return false;
    if (line === undefined) this.#lines.set(entry.client, new Set([entry]));
    else line.add(entry);
    this.#all.add(entry);
    return true;
  }

  /** Takes out whose turn it is. */
  next(): Entry | undefined {
    const [turn] = this.#lines;
    if (turn === undefined) return undefined;
    const [client, line] = turn;
    const entry = line.values().next().value;
    if (entry === undefined) return undefined;
    this.remove(entry);
    if (line.size === 0) return entry;
    this.#lines.delete(client);
    this.#lines.set(client, line);
    return entry;
  }

  /** False when it was not there. */
  remove(entry: Entry): boolean {
    if (!this.#all.delete(entry)) return false;
    const line = this.#lines.get(entry.client);
    line?.delete(entry);
    if (line?.size === 0) this.#lines.delete(entry.client);
    return true;
  }
}
