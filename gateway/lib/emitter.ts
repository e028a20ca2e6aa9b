/** Who wants to hear of something. */
export class Emitter<Event = void> {
  readonly #all = new Set<(event: Event) => void>();

  get size(): number {
    return this.#all.size;
  }

  /** Returns what stops it. The same function may listen twice. */
  add(listener: (event: Event) => void): () => void {
    const entry = (event: Event) => listener(event);
    this.#all.add(entry);
    return () => void this.#all.delete(entry);
  }

  emit(event: Event): void {
    for (const listener of this.#all) listener(event);
  }
}
