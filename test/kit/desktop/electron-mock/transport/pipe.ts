/** One message through a pipe, and the ends of other pipes that are transferred with it. */
export interface Parcel {
  readonly data: unknown;
  readonly ends: readonly PipeEnd[];
}

export interface PipeReader {
  take(parcel: Parcel): void;
  /** Is called when no more messages will arrive. */
  closed(): void;
}

/** One of two ends of a message queue. Messages arrive after the call that sends them has returned, and wait for a reader. */
export class PipeEnd {
  #other: PipeEnd | null = null;
  #reader: PipeReader | null = null;
  #waiting: Parcel[] = [];
  #closed = false;
  #reported = false;

  static pair(): readonly [PipeEnd, PipeEnd] {
    const ends = [new PipeEnd(), new PipeEnd()] as const;
    [ends[0].#other, ends[1].#other] = [ends[1], ends[0]];
    return ends;
  }

  send(parcel: Parcel): void {
    if (this.#closed || this.#other === null) return;
    this.#other.#waiting.push(parcel);
    this.#other.#deliverSoon();
  }

  read(reader: PipeReader): void {
    this.#reader = reader;
    this.#deliverSoon();
  }

  /** Closes both ends. What is on its way still arrives. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#deliverSoon();
    this.#other?.close();
  }

  #deliverSoon(): void {
    queueMicrotask(() => this.#deliver());
  }

  #deliver(): void {
    if (this.#reader === null) return;
    for (const parcel of this.#waiting.splice(0)) this.#reader.take(parcel);
    if (!this.#closed || this.#reported) return;
    this.#reported = true;
    this.#reader.closed();
  }
}
