import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { Problem } from '../../shared/problem.ts';

const MIB = 1024 * 1024;
const MIN_BYTES = 256 * MIB;

/**
 * Returns how many bytes of requests and answers may be held at once: a quarter of the memory that this process may use, at
 * least 256 MiB. The usable memory is the least of the machine's, its control group's, and the limit of the V8 heap.
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

/** Counts the bytes of requests and answers that are held, in total and by client: one client may hold half of them. */
export class MemoryBudget {
  /** Maximum number of bytes. */
  readonly bytes: number;
  readonly #byOwner = new Map<string, number>();
  #bytes = 0;

  constructor(bytes: number) {
    this.bytes = bytes;
  }

  /** Bytes held now. */
  get held(): number {
    return this.#bytes;
  }

  /** Maximum number of bytes of one client. */
  get share(): number {
    return Math.floor(this.bytes / 2);
  }

  /** Creates a part of the budget, empty at first, that must be released. */
  open(): Reservation {
    return new Reservation(this);
  }

  /** Reserves bytes for a client. Returns false when there is no room for them. */
  tryTake(owner: string, bytes: number): boolean {
    const own = (this.#byOwner.get(owner) ?? 0) + bytes;
    if (this.#bytes + bytes > this.bytes || own > this.share) return false;
    this.#bytes += bytes;
    this.#byOwner.set(owner, own);
    return true;
  }

  give(owner: string, bytes: number): void {
    this.#bytes -= bytes;
    const own = (this.#byOwner.get(owner) ?? 0) - bytes;
    if (own > 0) this.#byOwner.set(owner, own);
    else this.#byOwner.delete(owner);
  }
}

/** The part of a reservation that allocates memory, or reports that there is none. */
export type MemoryAllocator = Pick<Reservation, 'tryGrow' | 'full'>;

/** The part of a budget that one exchange holds, from its first byte to its end. */
export class Reservation {
  readonly #budget: MemoryBudget;
  #owner = '';
  #bytes = 0;
  #released = false;

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  /** Sets the client that is charged. Must be called while the reservation is empty. */
  assign(owner: string): void {
    this.#owner = owner;
  }

  /** Reserves more bytes; returns false when there is no room for them, or after the release. */
  tryGrow(bytes: number): boolean {
    if (this.#released || !this.#budget.tryTake(this.#owner, bytes)) return false;
    this.#bytes += bytes;
    return true;
  }

  /** Reserves more bytes. @throws Problem memory_full */
  grow(bytes: number): void {
    if (!this.tryGrow(bytes)) throw this.full();
  }

  /** Returns bytes to the budget, at most what is held. */
  shrink(bytes: number): void {
    const given = Math.min(bytes, this.#bytes);
    this.#bytes -= given;
    this.#budget.give(this.#owner, given);
  }

  /** Returns everything to the budget, for good. */
  release(): void {
    this.shrink(this.#bytes);
    this.#released = true;
  }

  /** Reserves bytes now, to be used later without failing. @throws Problem memory_full */
  prepay(bytes: number): MemoryAllocator {
    this.grow(bytes);
    let remaining = bytes;
    return {
      full: () => this.full(),
      tryGrow: (more) => {
        const paid = Math.min(remaining, more);
        if (more > paid && !this.tryGrow(more - paid)) return false;
        remaining -= paid;
        return true;
      },
    };
  }

  full(): Problem {
    const { bytes, share } = this.#budget;
    return new Problem(
      'memory_full',
      `Gatehouse has no memory left for more requests and responses (${formatMib(bytes)} MiB in all, ${formatMib(share)} MiB for one client), so it did not process this request. Nothing was sent. Send it again in a moment, or run fewer large requests at the same time.`,
    );
  }
}

function formatMib(bytes: number): number {
  return Math.floor(bytes / MIB);
}
