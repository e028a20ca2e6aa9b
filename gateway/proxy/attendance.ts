/** Counts who is inside and tells when nobody is. */
export class Attendance {
  #inside = 0;
  #waiting: (() => void)[] = [];

  get inside(): number {
    return this.#inside;
  }

  enter(): void {
    this.#inside += 1;
  }

  leave(): void {
    this.#inside -= 1;
    if (this.#inside > 0) return;
    for (const tell of this.#waiting.splice(0)) tell();
  }

  /** Resolves when nobody is inside, or after `limitMs`. */
  empty(limitMs?: number): Promise<void> {
    if (this.#inside === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = limitMs === undefined ? undefined : setTimeout(resolve, limitMs);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
