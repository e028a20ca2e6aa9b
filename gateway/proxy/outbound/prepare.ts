import { stripBom } from '../repair/body/body.ts';
import type { ByteChunks } from '../../lib/byte-chunks.ts';
import { decodeBody, decoderFor } from '../../http/content-coding.ts';
import type { InFlightExchange } from '../in-flight-exchange.ts';
import { findHeader, forwardableRequestHeaders, withoutHeaders } from '../../http/headers.ts';
import { type ReadOrder, readOrder } from '../order-identity/read-order.ts';
import {
  MAX_BUFFERED_BODY,
  hasBody,
  peek,
  bufferRequestBody,
  streamRequestBody,
} from '../inbound/request-body.ts';
import { readSender } from '../inbound/read-sender.ts';
import { createRepair } from '../repair/create-repair.ts';
import { boundParts, type FormEntry } from '../repair/body/form-entries.ts';
import { readVideoForm } from '../repair/body/video-form.ts';
import {
  declaredBoundary,
  looksLikeJson,
  repairContentType,
  repairVersion,
} from '../repair/headers.ts';
import { startsWithBom } from '../repair/body/json-scan.ts';
import { FormParts } from '../repair/body/form-parts.ts';

import type { Repair } from '../../../shared/exchange/repair.ts';
import type { Preparation, Prepared } from './preparation.ts';
import { holdRequest, isAwaited } from './hold-request.ts';
import { prepareJson, recordSender } from './prepare-json.ts';
import { resolveModel } from './resolve-model.ts';
import { type RepairedUpload, repairUpload, pipeThrough } from './repair-upload.ts';

/** Copies of an order's body that are in memory while it is read: its text, its canonical form, and the shown text or the parts of a form. */
const READING_COPIES = 3;

const NO_BYTES = Buffer.alloc(0);
const CODING: ReadonlySet<string> = new Set(['content-encoding']);
const CONTENT_TYPE: ReadonlySet<string> = new Set(['content-type']);

/** The forwardable headers of a request, and the two of them that say how its body is read. */
interface Content {
  readonly headers: string[];
  /** `Content-Type`; empty when there is none. */
  readonly type: string;
  /** `Content-Encoding` as it was sent. */
  readonly coding: string | undefined;
}

function toContent(headers: string[]): Content {
  return {
    headers,
    type: findHeader(headers, 'content-type') ?? '',
    coding: findHeader(headers, 'content-encoding'),
  };
}

/** Takes the body in, buffered or streamed, and repairs headers and body. @throws Problem */
export async function prepare(preparation: Preparation): Promise<Prepared> {
  const { request, route, proxy, inFlight } = preparation;
  const content = toContent(forwardableRequestHeaders(preparation.headers));
  recordSender(readSender(content.headers), preparation);
  const prepared = hasBody(request)
    ? await prepareBody(content, preparation)
    : {
        headers: content.headers,
        body: null,
        facts: null,
        form: null,
        order: await readOrderFromBody(NO_BYTES, content, preparation),
      };
  if (proxy.strict) return prepared;
  const version = repairVersion(prepared.headers, route, proxy.target.vendor);
  inFlight.addRepairs(version.repairs);
  return { ...prepared, headers: version.headers };
}

function prepareBody(content: Content, preparation: Preparation): Promise<Prepared> {
  return isBuffered(preparation, content.type)
    ? prepareBuffered(content, preparation)
    : prepareStreamed(content, preparation);
}

/** Whether the body is buffered: JSON and orders are, because they may need repair. Uploads are streamed. */
function isBuffered({ route }: Preparation, contentType: string): boolean {
  if (route.protocol !== null) return true;
  if (route.orderPath !== null) return true;
  if (isMultipart(contentType)) return false;
  return route.name === 'other' && /^\s*application\/json\b/i.test(contentType);
}

function isMultipart(contentType: string): boolean {
  return /^\s*multipart\//i.test(contentType);
}

async function prepareStreamed(
  { headers: received, type, coding }: Content,
  preparation: Preparation,
): Promise<Prepared> {
  const { request, route, proxy, inFlight } = preparation;
  const idleMs = proxy.limits.bodyIdleMs;
  let headers = received;
  let upload: RepairedUpload | null = null;
  // Bytes that are declared as binary may begin like JSON without being JSON.
  const isUpload = route.name === 'files';
  if (!proxy.strict && coding === undefined && (isUpload || !isDeclaredBinary(type))) {
    const start = await peek(request, idleMs);
    const repaired = repairContentType(received, start, inFlight.method);
    inFlight.addRepairs(repaired.repairs);
    upload = isUpload
      ? await repairUpload({ ...createUploader(preparation), headers: repaired.headers, start })
      : null;
    headers = upload?.headers ?? repaired.headers;
  }
  const stream = streamRequestBody(request, idleMs, (bytes) => (inFlight.bytesIn += bytes));
  const decoder = proxy.strict || coding === undefined ? null : decoderFor(coding);
  if (decoder !== null && coding !== undefined) {
    inFlight.addRepairs([createRepair('body-decoded', coding, 'identity')]);
    stream.on('error', (error) => decoder.destroy(error));
    decoder.on('error', () => undefined);
    return {
      headers: withoutHeaders(headers, CODING),
      body: stream.pipe(decoder),
      facts: null,
      form: null,
      order: null,
    };
  }
  const length = request.headers['content-length'];
  if (length !== undefined) {
    headers = [...headers, 'content-length', String(Number(length) + (upload?.added ?? 0))];
  }
  const transform = upload?.transform ?? null;
  const body = transform === null ? stream : pipeThrough(stream, transform);
  return { headers, body, facts: null, form: null, order: null };
}

function createUploader({ proxy, inFlight }: Preparation) {
  return {
    makeBoundary: () => `gatehouse${Buffer.from(proxy.randomBytes(16)).toString('hex')}`,
    onRepairs: (repairs: readonly Repair[]) => inFlight.addRepairs(repairs),
  };
}

function isDeclaredBinary(contentType: string): boolean {
  return /^\s*application\/octet-stream\b/i.test(contentType);
}

async function prepareBuffered(content: Content, preparation: Preparation): Promise<Prepared> {
  const { request, proxy, inFlight, memory } = preparation;
  const began = performance.now();
  const received = await bufferRequestBody(request, proxy.limits.bodyIdleMs, memory);
  inFlight.waitedForBodyMs = performance.now() - began;
  inFlight.bytesIn = received.length;
  const isHeld = isAwaited(preparation);
  if (staysInPieces(received, content, preparation)) {
    inFlight.captured?.receive(received, content.type);
    const [first = NO_BYTES] = received.chunks;
    const headers = repairType(content.headers, first, preparation);
    const body = isHeld ? await holdRequest(received, preparation) : received;
    return prepareJson(body, { headers, order: null }, preparation);
  }
  const bytes = received.join(memory);
  if (proxy.strict) {
    inFlight.captured?.receive(bytes, content.type);
    const body = isHeld ? await holdRequest(bytes, preparation) : bytes;
    const order = isOrdering(preparation)
      ? await readOrderFromBody(body, content, preparation)
      : null;
    return prepareJson(body, { headers: content.headers, order }, preparation);
  }
  const decoding = decode(content, bytes, { inFlight, memory });
  const decoded = decoding instanceof Promise ? await decoding : decoding;
  inFlight.captured?.receive(decoded.bytes, content.type);
  const body = isHeld ? await holdRequest(decoded.bytes, preparation) : decoded.bytes;
  const headers = repairType(decoded.headers, body, preparation);
  const repaired = toContent(headers);
  const isForm = preparation.route.orderPath !== null && isMultipart(repaired.type);
  const complete = isForm ? withFormParts(body, repaired.type, inFlight) : body;
  const order = isOrdering(preparation)
    ? await readOrderFromBody(complete, repaired, preparation)
    : null;
  if (preparation.route.name === 'video-submit' && order?.form) {
    return await prepareForm(headers, { ...order, form: order.form }, preparation);
  }
  return prepareJson(stripBom(complete, inFlight), { headers, order }, preparation);
}

/** Whether a body need not be joined to be read and sent: JSON in several pieces that is no order. */
function staysInPieces(
  { chunks }: ByteChunks,
  { coding }: Content,
  preparation: Preparation,
): boolean {
  const [first] = chunks;
  if (first === undefined || chunks.length === 1) return false;
  if (coding !== undefined || isOrdering(preparation)) return false;
  return looksLikeJson(first) && !startsWithBom(first);
}

function repairType(received: string[], start: Buffer, { proxy, inFlight }: Preparation): string[] {
  if (proxy.strict) return received;
  const { headers, repairs } = repairContentType(received, start, inFlight.method);
  inFlight.addRepairs(repairs);
  return headers;
}

function isOrdering({ route }: Preparation): boolean {
  return route.orderPath !== null;
}

/** Reads the order of a video before it is repaired; `null` for any other request. In strict mode the body is decoded for this only. */
async function readOrderFromBody(
  body: Buffer,
  { type: contentType, coding = 'identity' }: Content,
  { route, memory }: Preparation,
): Promise<ReadOrder | null> {
  if (route.orderPath === null) return null;
  const bytes = await decodeBody(body, coding, { bytes: MAX_BUFFERED_BODY, memory });
  // One of the copies remains after reading.
  memory.grow(READING_COPIES * bytes.length);
  const order = await readOrder({ bytes, contentType, path: route.orderPath });
  memory.shrink((READING_COPIES - 1) * bytes.length);
  return order;
}

async function prepareForm(
  headers: readonly string[],
  order: ReadOrder & { readonly form: readonly FormEntry[] },
  preparation: Preparation,
): Promise<Prepared> {
  const { inFlight } = preparation;
  const form = readVideoForm(order.form);
  inFlight.addRepairs([form.repair]);
  inFlight.modelAsked = form.model;
  inFlight.modelSent = form.model;
  await resolveModel(form.model, preparation);
  const json = [...withoutHeaders(headers, CONTENT_TYPE), 'content-type', 'application/json'];
  return { headers: json, body: Buffer.alloc(0), facts: null, form, order };
}

/** Repairs the dispositions of a form's parts. Files are taken whatever their parts are named. */
function withFormParts(bytes: Buffer, type: string, inFlight: InFlightExchange): Buffer {
  boundParts(bytes, type);
  const boundary = declaredBoundary(type);
  if (boundary === null) return bytes;
  const parts = new FormParts({
    boundary,
    rename: false,
    onChange: ({ before, after }) =>
      inFlight.addRepairs([createRepair('upload-part', before, after)]),
  });
  return Buffer.concat([parts.push(bytes), parts.end()]);
}

interface DecodedBody {
  readonly headers: string[];
  readonly bytes: Buffer;
}

function decode(
  { headers, coding }: Content,
  bytes: Buffer,
  holder: Pick<Preparation, 'inFlight' | 'memory'>,
): DecodedBody | Promise<DecodedBody> {
  if (coding === undefined || coding.trim().toLowerCase() === 'identity') return { headers, bytes };
  return decodeCoded(headers, bytes, { ...holder, coding });
}

async function decodeCoded(
  headers: readonly string[],
  bytes: Buffer,
  { inFlight, memory, coding }: Pick<Preparation, 'inFlight' | 'memory'> & { coding: string },
): Promise<DecodedBody> {
  const plain = await decodeBody(bytes, coding, { bytes: MAX_BUFFERED_BODY, memory });
  memory.shrink(bytes.length);
  inFlight.addRepairs([createRepair('body-decoded', coding, 'identity')]);
  return { headers: withoutHeaders(headers, CODING), bytes: plain };
}
