import type { VideoId } from '../../shared/video.ts';
import { SAME_MS } from './kept-orders.ts';

/** The orders that were settled in this run less than ten minutes ago, by a clock that nobody can set. */
export class JustSettled {
  readonly #settledAt = new Map<VideoId, number>();

  note(id: VideoId): void {
    const now = performance.now();
    for (const [other, at] of this.#settledAt) {
      // The oldest come first.
      if (at > now - SAME_MS) break;
      this.#settledAt.delete(other);
    }
    this.#settledAt.set(id, now);
  }

  has(id: VideoId): boolean {
    return (this.#settledAt.get(id) ?? Number.NEGATIVE_INFINITY) > performance.now() - SAME_MS;
  }

  /** The machine slept, and this clock stood still meanwhile. */
  forget(): void {
    this.#settledAt.clear();
  }
}
