/** Counts who is inside and tells when nobody is. */
export class InFlightCounter {
  #count = 0;
  #waiting: (() => void)[] = [];

  get count(): number {
    return this.#count;
  }

  add(): void {
    this.#count += 1;
  }

  remove(): void {
    this.#count -= 1;
    if (this.#count > 0) return;
    for (const tell of this.#waiting.splice(0)) tell();
  }

  /** Resolves when nobody is inside, or after `limitMs`. */
  whenIdle(limitMs?: number): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = limitMs === undefined ? undefined : setTimeout(resolve, limitMs);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
