/** Notifies listeners of an event. */
export class Emitter<Event = void> {
  readonly #all = new Set<(event: Event) => void>();

  get size(): number {
    return this.#all.size;
  }

  /** Adds a listener; the same function may be added twice. Returns a function that removes it. */
  on(listener: (event: Event) => void): () => void {
    const entry = (event: Event) => listener(event);
    this.#all.add(entry);
    return () => void this.#all.delete(entry);
  }

  emit(event: Event): void {
    for (const listener of this.#all) listener(event);
  }
}
