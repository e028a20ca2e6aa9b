import type { Dispatcher } from 'undici';
import { request } from '../lib/undici.ts';

export interface ModelListRequest {
  readonly baseUrl: string;
  readonly key: string;
  readonly timeoutMs: number;
  /** Aborts the request. */
  readonly signal?: AbortSignal;
  /** The connections to the service. */
  readonly dispatcher: Dispatcher;
}

export interface ModelListResponse {
  readonly status: number;
  /** The body as received, at most 16 MiB. */
  readonly body: Buffer;
  /** Its `Content-Type`. */
  readonly type: string | undefined;
  /** The time of the service's clock (`Date` header), Unix time in milliseconds. */
  readonly date: number | null;
}

const MAX_BYTES = 16 * 1024 * 1024;

/** The error for a model list that is too large. */
export class ModelListTooLargeError extends Error {
  readonly code = 'MODEL_LIST_TOO_LARGE';

  constructor() {
    super('The model list is larger than 16 MiB.');
  }
}

/**
 * Requests the model list (spec section 4.1), which is the cheapest call that shows whether a key works. Redirects are not
 * followed, so the key goes nowhere else. Rejects with the system's error when no answer
 * came, with a ModelListTooLargeError after 16 MiB, and with the signal's reason when that stopped it.
 */
export async function requestModelList(ask: ModelListRequest): Promise<ModelListResponse> {
  const timeout = AbortSignal.timeout(ask.timeoutMs);
  const answer = await request(`${ask.baseUrl}/v1/models`, {
    dispatcher: ask.dispatcher,
    headers: { authorization: `Bearer ${ask.key}`, accept: 'application/json' },
    signal: ask.signal === undefined ? timeout : AbortSignal.any([ask.signal, timeout]),
  });
  const chunks: Buffer[] = [];
  let size = 0;
  // Without an encoding set, undici's body yields buffers; its type says `any`.
  for await (const chunk of answer.body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) {
      throw new ModelListTooLargeError();
    }
    chunks.push(chunk);
  }
  const date = Date.parse(String(answer.headers['date'] ?? ''));
  const [type] = [answer.headers['content-type'] ?? []].flat();
  return {
    status: answer.statusCode,
    body: Buffer.concat(chunks),
    type,
    date: Number.isNaN(date) ? null : date,
  };
}
