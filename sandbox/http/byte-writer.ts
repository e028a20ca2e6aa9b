import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Compressor } from './compress.ts';
import type { Delivery } from './delivery.ts';

const MAX_PIECE = 300;
/** A multiplier and an increment of a linear congruential generator modulo 2^32 (Numerical Recipes). */
const MULTIPLIER = 1_664_525;
const INCREMENT = 1_013_904_223;

/** Writes a body in the pieces that a delivery wants. Its methods reject when the caller disconnects. */
export class ByteWriter {
  readonly #out: ServerResponse | Compressor;
  readonly #delivery: Pick<Delivery, 'oddBytes' | 'pieces'>;
  readonly #signal: AbortSignal;
  #held: Buffer = Buffer.alloc(0);
  #state: number;

  constructor(
    out: ServerResponse | Compressor,
    delivery: Pick<Delivery, 'oddBytes' | 'pieces'>,
    signal: AbortSignal,
  ) {
    this.#out = out;
    this.#delivery = delivery;
    this.#signal = signal;
    this.#state = (delivery.pieces ?? 0) >>> 0;
  }

  /** Writes a chunk; with random pieces a part of it may be held until `flush`. */
  async write(bytes: Buffer): Promise<void> {
    if (this.#delivery.pieces === null) await this.#writeSteps(bytes);
    else {
      this.#held = Buffer.concat([this.#held, bytes]);
      while (this.#held.length >= MAX_PIECE) await this.#writePiece();
    }
  }

  /** Writes what is held. */
  async flush(): Promise<void> {
    while (this.#held.length > 0) await this.#writePiece();
  }

  async #writePiece(): Promise<void> {
    this.#state = (Math.imul(this.#state, MULTIPLIER) + INCREMENT) >>> 0;
    const length = 1 + Math.floor((this.#state / 2 ** 32) * MAX_PIECE);
    const piece = this.#held.subarray(0, length);
    this.#held = this.#held.subarray(length);
    await this.#writeOnce(piece);
    await waitMs(0, this.#signal);
  }

  async #writeSteps(bytes: Buffer): Promise<void> {
    const { oddBytes } = this.#delivery;
    const step = oddBytes > 0 ? oddBytes : Math.max(bytes.length, 1);
    for (let at = 0; at < bytes.length; at += step) {
      if (at > 0) await waitMs(0, this.#signal);
      await this.#writeOnce(bytes.subarray(at, at + step));
    }
  }

  async #writeOnce(bytes: Buffer): Promise<void> {
    const wantsMore = this.#out.write(bytes);
    if ('flush' in this.#out) this.#out.flush();
    if (!wantsMore) await once(this.#out, 'drain', { signal: this.#signal });
  }
}

/** Waits that long, or for the next turn of the event loop. Rejects when the signal is aborted. */
export async function waitMs(ms: number, signal: AbortSignal): Promise<void> {
  await (ms > 0 ? setTimeout(ms, undefined, { signal }) : setImmediate(undefined, { signal }));
}
