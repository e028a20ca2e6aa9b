import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Answer, AnswerHead, CompleteAnswer, StreamedAnswer, StreamEvent } from './answer.ts';
import { type Compressor, createCompressor } from './compress.ts';
import type { OpenEntry } from '../books.ts';
import type { Delivery } from './delivery.ts';
import type { Gates } from '../scenarios/gates.ts';
import { ByteWriter, waitMs } from './byte-writer.ts';

/** The response of one exchange, and the request data needed to send it. */
export interface OutgoingResponse {
  readonly response: ServerResponse;
  readonly acceptEncoding: string;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
  /** Its entry in the books; `null` when it is not billed. */
  readonly entry: OpenEntry | null;
  readonly gates: Gates;
}

/** Sends an answer; resolves when it is written as far as the scenario wants. Rejects when the caller disconnects. */
export async function sendAnswer(
  answer: Answer,
  delivery: Delivery,
  outgoing: OutgoingResponse,
): Promise<void> {
  if (answer.kind === 'complete' || delivery.ending.kind === 'lost') produceAll(outgoing, answer);
  if (delivery.firstByteMs > 0) await waitMs(delivery.firstByteMs, outgoing.signal);
  if (delivery.ending.kind === 'lost') {
    outgoing.response.destroy();
    return;
  }
  if (answer.kind === 'complete' && answer.usage !== undefined) await passGate(delivery, outgoing);
  await (answer.kind === 'complete'
    ? sendComplete(answer, delivery, outgoing)
    : sendStream(answer, delivery, outgoing));
}

/** An answer that is no stream is produced as a whole before its first byte. */
function produceAll({ entry }: OutgoingResponse, { usage }: Answer): void {
  if (entry !== null && usage !== undefined) entry.produced = usage.output;
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
  const out = startResponse(outgoing, delivery, answer);
  if (out === response && kind !== 'open') response.setHeader('content-length', body.length);
  const writer = new ByteWriter(out, delivery, outgoing.signal);
  await writer.write(body);
  await writer.flush();
  if (outgoing.entry !== null) outgoing.entry.isReported = answer.usage !== undefined;
  if (kind !== 'open') out.end();
}

const STREAM_HEAD: AnswerHead = {
  status: 200,
  headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
};

/** The events of a fixture are read for so long before the connection breaks: some callers do otherwise before the first event. */
const READ_MS = 100;

async function sendStream(answer: StreamedAnswer, delivery: Delivery, outgoing: OutgoingResponse) {
  const { ending } = delivery;
  const out = startResponse(outgoing, delivery, answer.head ?? STREAM_HEAD);
  const writer = new ByteWriter(out, delivery, outgoing.signal);
  let sent = 0;
  for (const event of answer.events) {
    if ('after' in ending && sent >= ending.after) break;
    if (ending.kind === 'unsaid' && event.terminal) break;
    if (sent > 0) await pauseBetween(sent, { delivery, outgoing });
    await writer.write(eventBytes(event.text, delivery));
    sent += 1;
    if (outgoing.entry !== null) await enterEvent(event, outgoing.entry, writer);
  }
  await writer.flush();
  if (answer.isCut === true) await waitMs(READ_MS, outgoing.signal);
  if (ending.kind === 'cut' || answer.isCut === true) return breakConnection(outgoing);
  if (ending.kind === 'failed') {
    await writer.write(eventBytes(answer.failure, delivery));
    await writer.flush();
  }
  if (ending.kind !== 'open') out.end();
}

/** Enters the tokens of an event that was written. */
async function enterEvent(event: StreamEvent, entry: OpenEntry, writer: ByteWriter): Promise<void> {
  entry.produced += event.tokens ?? 0;
  if (event.reports !== true) return;
  await writer.flush();
  entry.isReported = true;
}

interface SendContext {
  readonly delivery: Delivery;
  readonly outgoing: OutgoingResponse;
}

async function passGate({ gate }: Delivery, { gates, signal }: OutgoingResponse): Promise<void> {
  if (gate !== null) await gates.pass(gate, signal);
}

const GATE_AFTER = 3;
const SILENT_AFTER = 5;

async function pauseBetween(sent: number, { delivery, outgoing }: SendContext): Promise<void> {
  if (sent === GATE_AFTER) await passGate(delivery, outgoing);
  const ms = delivery.betweenMs + (sent === SILENT_AFTER ? delivery.silenceMs : 0);
  await waitMs(ms, outgoing.signal);
}

/** Sets status and headers; returns the stream to which the body is written: the response or a compressor before it. */
function startResponse(
  outgoing: OutgoingResponse,
  delivery: Delivery,
  head: AnswerHead,
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

function eventBytes(text: string, { oddBytes }: Delivery): Buffer {
  return Buffer.from(oddBytes > 0 ? text.replaceAll('\n', '\r\n') : text);
}

/** Destroys the connection after the written bytes were flushed. */
async function breakConnection(outgoing: OutgoingResponse): Promise<void> {
  if (!outgoing.response.headersSent) outgoing.response.flushHeaders();
  await waitMs(0, outgoing.signal);
  if (outgoing.response.writableNeedDrain)
    await once(outgoing.response, 'drain', { signal: outgoing.signal });
  outgoing.response.destroy();
}
