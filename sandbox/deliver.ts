import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Answer, StreamedAnswer, WholeAnswer } from './answer.ts';
import { compressorFor } from './compress.ts';
import type { Delivery } from './delivery.ts';

/** The open end of one exchange. */
export interface Wire {
  readonly response: ServerResponse;
  readonly acceptEncoding: string;
  /** Aborts when the caller goes away. */
  readonly signal: AbortSignal;
}

/** Puts an answer on the wire; resolves when all of it is written or was withheld on purpose. Rejects when the caller goes away. */
export async function deliver(answer: Answer, delivery: Delivery, wire: Wire): Promise<void> {
  if (delivery.firstByteMs > 0) await wait(delivery.firstByteMs, wire);
  if (delivery.ending.how === 'lost') {
    wire.response.destroy();
    return;
  }
  await (answer.kind === 'whole'
    ? deliverWhole(answer, delivery, wire)
    : deliverStream(answer, delivery, wire));
}

async function deliverWhole(answer: WholeAnswer, delivery: Delivery, wire: Wire): Promise<void> {
  const { response } = wire;
  const body = Buffer.from(answer.body);
  const { how } = delivery.ending;
  if (how === 'cut') {
    response.writeHead(answer.status, { ...answer.headers, 'content-length': body.length });
    response.write(body.subarray(0, body.length / 2));
    await breakOff(wire);
    return;
  }
  const out = open(wire, delivery, { status: answer.status, headers: answer.headers });
  if (out === response && how !== 'open') response.setHeader('content-length', body.length);
  await put(out, body, { delivery, wire });
  if (how !== 'open') out.end();
}

async function deliverStream(answer: StreamedAnswer, delivery: Delivery, wire: Wire) {
  const { ending } = delivery;
  const headers = {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  };
  const out = open(wire, delivery, { status: 200, headers });
  const path = { delivery, wire };
  let sent = 0;
  for (const event of answer.events) {
    if ('after' in ending && sent >= ending.after) break;
    if (ending.how === 'unsaid' && event.terminal) break;
    if (sent > 0) await rest(sent, path);
    await put(out, eventBytes(event.text, delivery), path);
    sent += 1;
  }
  if (ending.how === 'cut') return breakOff(wire);
  if (ending.how === 'failed') await put(out, eventBytes(answer.failure, delivery), path);
  if (ending.how !== 'open') out.end();
}

interface Path {
  readonly delivery: Delivery;
  readonly wire: Wire;
}

interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

const SILENT_AFTER = 5;

function rest(sent: number, { delivery, wire }: Path): Promise<void> {
  const ms = delivery.betweenMs + (sent === SILENT_AFTER ? delivery.silenceMs : 0);
  return wait(ms, wire);
}

async function wait(ms: number, { signal }: Wire): Promise<void> {
  await (ms > 0 ? setTimeout(ms, undefined, { signal }) : setImmediate(undefined, { signal }));
}

/** Sets the head and returns where the body goes: the response itself or a compressor before it. */
function open(wire: Wire, delivery: Delivery, head: Head): ServerResponse | Compressor {
  const { response } = wire;
  response.statusCode = head.status;
  for (const [name, value] of Object.entries(head.headers)) response.setHeader(name, value);
  const compressor = delivery.compressed ? compressorFor(wire.acceptEncoding) : undefined;
  if (!compressor) return response;
  response.setHeader('content-encoding', compressor.name);
  response.setHeader('vary', 'accept-encoding');
  compressor.stream.pipe(response);
  wire.signal.addEventListener('abort', () => compressor.stream.destroy(), { once: true });
  return compressor.stream;
}

type Compressor = NonNullable<ReturnType<typeof compressorFor>>['stream'];

function eventBytes(text: string, { oddBytes }: Delivery): Buffer {
  return Buffer.from(oddBytes > 0 ? text.replaceAll('\n', '\r\n') : text);
}

async function put(out: ServerResponse | Compressor, bytes: Buffer, path: Path): Promise<void> {
  const { oddBytes } = path.delivery;
  const step = oddBytes > 0 ? oddBytes : Math.max(bytes.length, 1);
  for (let at = 0; at < bytes.length; at += step) {
    if (at > 0) await wait(0, path.wire);
    const wantsMore = out.write(bytes.subarray(at, at + step));
    if ('flush' in out) out.flush();
    if (!wantsMore) await once(out, 'drain', { signal: path.wire.signal });
  }
}

/** Kills the connection, after what was written has left. */
async function breakOff(wire: Wire): Promise<void> {
  if (!wire.response.headersSent) wire.response.flushHeaders();
  await wait(0, wire);
  if (wire.response.writableNeedDrain) await once(wire.response, 'drain', { signal: wire.signal });
  wire.response.destroy();
}
