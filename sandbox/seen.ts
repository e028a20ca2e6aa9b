import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request as it reached the sandbox, also one that was refused. */
export interface SeenRequest {
  readonly method: string;
  /** The request target as received. */
  readonly url: string;
  readonly rawHeaders: readonly string[];
  /** The body's first MiB, once it is complete or the caller went away. */
  readonly body: Promise<Buffer>;
  /** `finished` when the whole answer was handed over; `aborted` when the connection closed before, whoever closed it. */
  readonly closed: Promise<'finished' | 'aborted'>;
}

/** Keeps the latest requests: at most 1,000, with bodies of at most 32 MiB together. */
export class SeenRequests {
  readonly #entries: Entry[] = [];
  readonly #waiting: PromiseWithResolvers<SeenRequest>[] = [];
  #size = 0;

  get latest(): readonly SeenRequest[] {
    return this.#entries.map(({ seen }) => seen);
  }

  /** The next request that arrives after this call. Rejects when the sandbox closes first. */
  next(): Promise<SeenRequest> {
    const waiting = Promise.withResolvers<SeenRequest>();
    this.#waiting.push(waiting);
    return waiting.promise;
  }

  /** Notes a request that has just arrived. Whoever reads its body hands every chunk to `keep` and calls `complete`. */
  note(request: IncomingMessage, response: ServerResponse): BodyNote {
    const body = Promise.withResolvers<Buffer>();
    const closed = Promise.withResolvers<'finished' | 'aborted'>();
    const chunks: Buffer[] = [];
    const entry: Entry = {
      seen: {
        method: request.method ?? '',
        url: request.url ?? '',
        rawHeaders: request.rawHeaders,
        body: body.promise,
        closed: closed.promise,
      },
      size: 0,
      live: true,
    };
    const complete = () => body.resolve(Buffer.concat(chunks));
    response.once('close', () => {
      complete();
      closed.resolve(response.writableFinished ? 'finished' : 'aborted');
    });
    this.#entries.push(entry);
    for (const waiting of this.#waiting.splice(0)) waiting.resolve(entry.seen);
    this.#trim();
    return {
      keep: (chunk) => {
        const kept = chunk.subarray(0, BODY_BYTES - entry.size);
        if (kept.length === 0) return;
        chunks.push(kept);
        entry.size += kept.length;
        if (entry.live) this.#size += kept.length;
        this.#trim();
      },
      complete,
    };
  }

  close(): void {
    for (const waiting of this.#waiting.splice(0)) {
      waiting.reject(new Error('The sandbox was closed before another request arrived.'));
    }
  }

  #trim(): void {
    while (
      this.#entries.length > 1 &&
      (this.#entries.length > REQUESTS || this.#size > ALL_BYTES)
    ) {
      const dropped = this.#entries.shift();
      if (!dropped) return;
      dropped.live = false;
      this.#size -= dropped.size;
    }
  }
}

interface Entry {
  readonly seen: SeenRequest;
  /** Bytes kept of the body. */
  size: number;
  /** False once it was dropped from the list. */
  live: boolean;
}

export interface BodyNote {
  keep(chunk: Buffer): void;
  complete(): void;
}

const REQUESTS = 1000;
const BODY_BYTES = 2 ** 20;
const ALL_BYTES = 32 * 2 ** 20;
