const MAX_BYTES = 8 * 1024 * 1024;

/** Holds a passing body up to 8 MiB; a larger one is let go. */
export class Held {
  #chunks: Uint8Array[] = [];
  #size = 0;

  push(chunk: Uint8Array): void {
    this.#size += chunk.length;
    if (this.#size > MAX_BYTES) this.#chunks = [];
    else this.#chunks.push(chunk);
  }

  /** The whole body, once; `null` when it was too large. */
  take(): Uint8Array | null {
    if (this.#size > MAX_BYTES) return null;
    const body = Buffer.concat(this.#chunks);
    this.#chunks = [];
    return body;
  }
}
