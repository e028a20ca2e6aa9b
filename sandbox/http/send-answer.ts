import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Answer, StreamedAnswer, CompleteAnswer } from './answer.ts';
import { createCompressor } from './compress.ts';
import type { Delivery } from './delivery.ts';

/** The response of one exchange, and the request data needed to send it. */
export interface OutgoingResponse {
  readonly response: ServerResponse;
  readonly acceptEncoding: string;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
}

/** Sends an answer; resolves when it is written as far as the scenario wants. Rejects when the caller disconnects. */
export async function sendAnswer(
  answer: Answer,
  delivery: Delivery,
  outgoing: OutgoingResponse,
): Promise<void> {
  if (delivery.firstByteMs > 0) await waitMs(delivery.firstByteMs, outgoing);
  if (delivery.ending.kind === 'lost') {
    outgoing.response.destroy();
    return;
  }
  await (answer.kind === 'complete'
    ? sendComplete(answer, delivery, outgoing)
    : sendStream(answer, delivery, outgoing));
}

async function sendComplete(
  answer: CompleteAnswer,
  delivery: Delivery,
  outgoing: OutgoingResponse,
): Promise<void> {
  const { response } = outgoing;
  const body = Buffer.from(answer.body);
  const { kind } = delivery.ending;
  if (kind === 'cut') {
    response.writeHead(answer.status, { ...answer.headers, 'content-length': body.length });
    response.write(body.subarray(0, body.length / 2));
    await breakConnection(outgoing);
    return;
  }
  const out = startResponse(outgoing, delivery, { status: answer.status, headers: answer.headers });
  if (out === response && kind !== 'open') response.setHeader('content-length', body.length);
  await writeBytes(out, body, { delivery, outgoing });
  if (kind !== 'open') out.end();
}

async function sendStream(answer: StreamedAnswer, delivery: Delivery, outgoing: OutgoingResponse) {
  const { ending } = delivery;
  const headers = {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  };
  const out = startResponse(outgoing, delivery, { status: 200, headers });
  const path = { delivery, outgoing };
  let sent = 0;
  for (const event of answer.events) {
    if ('after' in ending && sent >= ending.after) break;
    if (ending.kind === 'unsaid' && event.terminal) break;
    if (sent > 0) await pauseBetween(sent, path);
    await writeBytes(out, eventBytes(event.text, delivery), path);
    sent += 1;
  }
  if (ending.kind === 'cut') return breakConnection(outgoing);
  if (ending.kind === 'failed') await writeBytes(out, eventBytes(answer.failure, delivery), path);
  if (ending.kind !== 'open') out.end();
}

interface SendContext {
  readonly delivery: Delivery;
  readonly outgoing: OutgoingResponse;
}

interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

const SILENT_AFTER = 5;

function pauseBetween(sent: number, { delivery, outgoing }: SendContext): Promise<void> {
  const ms = delivery.betweenMs + (sent === SILENT_AFTER ? delivery.silenceMs : 0);
  return waitMs(ms, outgoing);
}

async function waitMs(ms: number, { signal }: OutgoingResponse): Promise<void> {
  await (ms > 0 ? setTimeout(ms, undefined, { signal }) : setImmediate(undefined, { signal }));
}

/** Sets status and headers; returns the stream to which the body is written: the response or a compressor before it. */
function startResponse(
  outgoing: OutgoingResponse,
  delivery: Delivery,
  head: Head,
): ServerResponse | Compressor {
  const { response } = outgoing;
  response.statusCode = head.status;
  for (const [name, value] of Object.entries(head.headers)) response.setHeader(name, value);
  const compressor = delivery.compressed ? createCompressor(outgoing.acceptEncoding) : undefined;
  if (!compressor) return response;
  response.setHeader('content-encoding', compressor.name);
  response.setHeader('vary', 'accept-encoding');
  compressor.stream.pipe(response);
  outgoing.signal.addEventListener('abort', () => compressor.stream.destroy(), { once: true });
  return compressor.stream;
}

type Compressor = NonNullable<ReturnType<typeof createCompressor>>['stream'];

function eventBytes(text: string, { oddBytes }: Delivery): Buffer {
  return Buffer.from(oddBytes > 0 ? text.replaceAll('\n', '\r\n') : text);
}

async function writeBytes(
  out: ServerResponse | Compressor,
  bytes: Buffer,
  path: SendContext,
): Promise<void> {
  const { oddBytes } = path.delivery;
  const step = oddBytes > 0 ? oddBytes : Math.max(bytes.length, 1);
  for (let at = 0; at < bytes.length; at += step) {
    if (at > 0) await waitMs(0, path.outgoing);
    const wantsMore = out.write(bytes.subarray(at, at + step));
    if ('flush' in out) out.flush();
    if (!wantsMore) await once(out, 'drain', { signal: path.outgoing.signal });
  }
}

/** Destroys the connection after the written bytes were flushed. */
async function breakConnection(outgoing: OutgoingResponse): Promise<void> {
  if (!outgoing.response.headersSent) outgoing.response.flushHeaders();
  await waitMs(0, outgoing);
  if (outgoing.response.writableNeedDrain)
    await once(outgoing.response, 'drain', { signal: outgoing.signal });
  outgoing.response.destroy();
}
