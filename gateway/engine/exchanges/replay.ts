import type { ExchangeBodies } from '../../../shared/exchange/body.ts';
import { ExchangeId } from '../../../shared/exchange/exchange.ts';
import {
  changeRequest,
  type ReplayableRequest,
  type ReplayEvent,
  type ReplayRequest,
  toReplayable,
} from '../../../shared/replay.ts';
import { NotFoundError, UserError } from '../../errors.ts';
import { type History, waitForRecord } from '../../history/history.ts';
import { directDispatcher, request } from '../../lib/undici.ts';

export interface ReplayDeps {
  readonly history: Pick<History, 'get' | 'on'>;
  readonly readBodies: (id: ExchangeId) => Promise<ExchangeBodies>;
  /** Port of our own proxy. */
  readonly port: number;
  /** Local key of the client "Replay". */
  readonly localKey: string;
  /** Removes secrets from a text. */
  readonly redact: (text: string) => string;
}

/** The most of a response that is returned. */
const MAX_BYTES = 16 * 2 ** 20;

/**
 * Sends a stored request once more through our own proxy, like any client, and yields what became of it. Aborting ends the request.
 * @throws NotFoundError, UserError when it cannot be sent
 */
export async function* replay(
  { id, ...changes }: ReplayRequest,
  deps: ReplayDeps,
  signal: AbortSignal,
): AsyncGenerator<ReplayEvent, void, void> {
  const { history, readBodies } = deps;
  const detail = await history.get(id);
  if (detail === null) {
    throw new NotFoundError('This exchange is not in the history, or was deleted.');
  }
  const { request: stored, reason } = toReplayable(detail, await readBodies(id));
  if (stored === null) throw new UserError(`This request cannot be sent again. ${reason}`);
  const text = changeRequest(stored, changes);
  // A caller that stops listening, whenever it does, ends the request.
  const ending = new AbortController();
  const either = AbortSignal.any([signal, ending.signal]);
  try {
    yield* receive(await send(stored, text, { ...deps, signal: either }), deps, either);
  } finally {
    ending.abort();
  }
}

async function* receive(
  { statusCode, headers, body }: Awaited<ReturnType<typeof send>>,
  { history, redact }: Pick<ReplayDeps, 'history' | 'redact'>,
  signal: AbortSignal,
): AsyncGenerator<ReplayEvent, void, void> {
  const id = ExchangeId.safeParse(headers['x-gatehouse-exchange']).data ?? null;
  yield { kind: 'started', id };
  const { bytes, isCut } = await readBody(body as AsyncIterable<Buffer>, signal);
  const type = headers['content-type'];
  const response = {
    id,
    status: statusCode,
    contentType: typeof type === 'string' ? type : null,
    text: redact(bytes.toString()),
    isCut,
    exchange: id === null ? null : await waitForRecord(id, history),
  };
  yield { kind: 'ended', response };
}

async function send(
  { path, headers }: ReplayableRequest,
  body: string,
  {
    port,
    localKey,
    signal,
  }: Pick<ReplayDeps, 'port' | 'localKey'> & { readonly signal: AbortSignal },
) {
  try {
    return await request(`http://127.0.0.1:${port}${path}`, {
      dispatcher: directDispatcher,
      method: 'POST',
      headers: {
        ...joinHeaders(headers),
        authorization: `Bearer ${localKey}`,
        'user-agent': 'Gatehouse replay',
      },
      body,
      signal,
      // A kept-alive connection may be closing when it is used again, and requests are never sent twice.
      reset: true,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  } catch (error) {
    signal.throwIfAborted();
    throw new UserError('Gatehouse did not answer. It may be stopping.', null, { cause: error });
  }
}

/** Joins the values of a name that was sent several times, as RFC 9110, section 5.3 allows. */
function joinHeaders(headers: ReplayableRequest['headers']): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of headers) {
    const before = joined[name];
    joined[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return joined;
}

/** Reads a body as far as it comes and fits. Rejects only when the signal aborts. */
async function readBody(body: AsyncIterable<Buffer>, signal: AbortSignal) {
  const chunks: Buffer[] = [];
  let size = 0;
  let isCut = false;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      isCut = size > MAX_BYTES;
      if (isCut) break;
    }
  } catch {
    signal.throwIfAborted();
    isCut = true;
  }
  return { bytes: Buffer.concat(chunks), isCut };
}
