import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request as received by the sandbox, including refused ones. */
export interface RecordedRequest {
  readonly method: string;
  /** The request target as received. */
  readonly url: string;
  readonly rawHeaders: readonly string[];
  /** Resolves to the first MiB of the body when it is complete or the caller disconnected. */
  readonly body: Promise<Buffer>;
  /** Resolves to `finished` after a complete answer; to `aborted` when either side closed the connection before. */
  readonly closed: Promise<'finished' | 'aborted'>;
}

/** Records the latest requests: at most 1,000, with bodies of at most 32 MiB in all. */
export class RequestRecorder {
  readonly #entries: Entry[] = [];
  readonly #waiting: PromiseWithResolvers<RecordedRequest>[] = [];
  #size = 0;

  get latest(): readonly RecordedRequest[] {
    return this.#entries.map(({ recorded }) => recorded);
  }

  /** Resolves to the next request that arrives after this call. Rejects when the sandbox closes first. */
  next(): Promise<RecordedRequest> {
    const waiting = Promise.withResolvers<RecordedRequest>();
    this.#waiting.push(waiting);
    return waiting.promise;
  }

  /** Records a new request. The reader of its body passes every chunk to `add` and calls `complete` at the end. */
  record(request: IncomingMessage, response: ServerResponse): BodyRecorder {
    const body = Promise.withResolvers<Buffer>();
    const closed = Promise.withResolvers<'finished' | 'aborted'>();
    const chunks: Buffer[] = [];
    const entry: Entry = {
      recorded: {
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
    for (const waiting of this.#waiting.splice(0)) waiting.resolve(entry.recorded);
    this.#trim();
    return {
      add: (chunk) => {
        const stored = chunk.subarray(0, MAX_BODY_BYTES - entry.size);
        if (stored.length === 0) return;
        chunks.push(stored);
        entry.size += stored.length;
        if (entry.live) this.#size += stored.length;
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
      (this.#entries.length > MAX_REQUESTS || this.#size > MAX_TOTAL_BYTES)
    ) {
      const dropped = this.#entries.shift();
      if (!dropped) return;
      dropped.live = false;
      this.#size -= dropped.size;
    }
  }
}

interface Entry {
  readonly recorded: RecordedRequest;
  /** Stored bytes of the body. */
  size: number;
  /** False after the request was dropped from the list. */
  live: boolean;
}

export interface BodyRecorder {
  add(chunk: Buffer): void;
  complete(): void;
}

const MAX_REQUESTS = 1000;
const MAX_BODY_BYTES = 2 ** 20;
const MAX_TOTAL_BYTES = 32 * 2 ** 20;
