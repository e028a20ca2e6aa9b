import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { Problem } from '../../shared/problem.ts';

const MIB = 1024 * 1024;
const MIN_BYTES = 256 * MIB;

/**
 * Bytes of requests and answers that may be held at once: a quarter of the memory that this process may use, at least 256 MiB. It may use
 * the least of what the machine has, what its control group allows, and what V8 was told or has chosen for its heap.
 */
export function bodyMemoryBudget(): number {
  const allowed = process.constrainedMemory();
  const usable = Math.min(
    totalmem(),
    allowed > 0 ? allowed : Number.POSITIVE_INFINITY,
    getHeapStatistics().heap_size_limit,
  );
  return Math.max(MIN_BYTES, Math.floor(usable / 4));
}

/** Counts the bytes of requests and answers that are held, in all and by each client: one client may hold half of them. */
export class MemoryBudget {
  /** The most that may be held. */
  readonly bytes: number;
  readonly #byOwner = new Map<string, number>();
  #held = 0;

  constructor(bytes: number) {
    this.bytes = bytes;
  }

  /** What is held now. */
  get held(): number {
    return this.#held;
  }

  /** Of one client. */
  get share(): number {
    return Math.floor(this.bytes / 2);
  }

  /** A part of the budget, empty at first, that must be released. */
  open(): Reservation {
    return new Reservation(this);
  }

  /** Whether there is room for so many bytes more; they are counted then. */
  tryTake(owner: string, bytes: number): boolean {
    const own = (this.#byOwner.get(owner) ?? 0) + bytes;
    if (this.#held + bytes > this.bytes || own > this.share) return false;
    this.#held += bytes;
    this.#byOwner.set(owner, own);
    return true;
  }

  give(owner: string, bytes: number): void {
    this.#held -= bytes;
    const own = (this.#byOwner.get(owner) ?? 0) - bytes;
    if (own > 0) this.#byOwner.set(owner, own);
    else this.#byOwner.delete(owner);
  }
}

/** What can be asked for room, and says that there is none. */
export type MemoryAllocator = Pick<Reservation, 'tryGrow' | 'full'>;

/** What one exchange holds of a budget, from its first byte to its end. */
export class Reservation {
  readonly #budget: MemoryBudget;
  #owner = '';
  #held = 0;
  #released = false;

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  /** Says whose it is. To be called while it is empty. */
  assign(owner: string): void {
    this.#owner = owner;
  }

  /** Takes so many bytes more; false when there is no room for them, or when it was released. */
  tryGrow(bytes: number): boolean {
    if (this.#released || !this.#budget.tryTake(this.#owner, bytes)) return false;
    this.#held += bytes;
    return true;
  }

  /** The same, but throws Problem memory_full. */
  grow(bytes: number): void {
    if (!this.tryGrow(bytes)) throw this.full();
  }

  /** Gives so many bytes back, at most what it holds. */
  shrink(bytes: number): void {
    const given = Math.min(bytes, this.#held);
    this.#held -= given;
    this.#budget.give(this.#owner, given);
  }

  /** Gives everything back, for good. */
  release(): void {
    this.shrink(this.#held);
    this.#released = true;
  }

  /** Room for so many bytes that is there in any case from now on. Throws Problem memory_full. */
  prepay(bytes: number): MemoryAllocator {
    this.grow(bytes);
    let left = bytes;
    return {
      full: () => this.full(),
      tryGrow: (more) => {
        const paid = Math.min(left, more);
        if (more > paid && !this.tryGrow(more - paid)) return false;
        left -= paid;
        return true;
      },
    };
  }

  full(): Problem {
    const { bytes, share } = this.#budget;
    return new Problem(
      'memory_full',
      `Gatehouse holds as much of requests and answers as it may at once (${formatMib(bytes)} MiB in all, ${formatMib(share)} MiB for one client), so it did not take this request any further. Nothing was sent. Send it again in a moment, or have fewer large requests run at the same time.`,
    );
  }
}

function formatMib(bytes: number): number {
  return Math.floor(bytes / MIB);
}
