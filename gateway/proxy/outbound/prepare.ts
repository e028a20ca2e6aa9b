import {
  stripBom,
  type BodyFacts,
  promptToMessages,
  readBody,
  removeStreamOptions,
  secondsToString,
  setModel,
} from '../repair/body/body.ts';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { decodeBody, decoderFor } from '../../http/content-coding.ts';
import type { Reservation } from '../../lib/memory-budget.ts';
import type { InFlightExchange } from '../in-flight-exchange.ts';
import { findHeader, forwardableRequestHeaders, withoutHeaders } from '../../http/headers.ts';
import { type ReadOrder, readOrder } from '../order-identity/read-order.ts';
import type { ProxyContext } from '../context.ts';
import {
  MAX_BUFFERED_BODY,
  hasBody,
  peek,
  bufferRequestBody,
  streamRequestBody,
} from '../inbound/request-body.ts';
import { createRepair } from '../repair/create-repair.ts';
import { boundParts, type FormEntry } from '../repair/body/form-entries.ts';
import { type VideoForm, readVideoForm } from '../repair/body/video-form.ts';
import { declaredBoundary, repairContentType, repairVersion } from '../repair/headers.ts';
import { FormParts } from '../repair/body/form-parts.ts';

import type { Repair } from '../../../shared/repair.ts';
import { type RepairedUpload, repairUpload, pipeThrough } from './repair-upload.ts';
import type { Route } from '../route.ts';

/** A request as it is sent to the service, without credentials. */
export interface Prepared {
  /** Has no hop-by-hop fields, credentials and framing. */
  readonly headers: string[];
  readonly body: Buffer | Readable | null;
  /** Facts read from a buffered body; `null` for a streamed one and for none. */
  readonly facts: BodyFacts | null;
  /** The form of a video order that is sent as JSON, with an empty `body`; `null` for any other request. */
  readonly form: VideoForm | null;
  /** The order of a video as the client sent it; `null` for any other request. */
  readonly order: ReadOrder | null;
}

export interface Preparation {
  readonly request: IncomingMessage;
  /** Has no credentials any more. */
  readonly headers: string[];
  readonly route: Route;
  readonly proxy: ProxyContext;
  readonly inFlight: InFlightExchange;
  readonly memory: Reservation;
}

/** Longer names are not compared with model ids. */
const MAX_MODEL_LENGTH = 256;

/** Copies of an order's body that are in memory while it is read: its text, its canonical form, and the shown text or the parts of a form. */
const READING_COPIES = 3;

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
  inFlight.conversation = findConversationId(content.headers);
  const prepared = hasBody(request)
    ? await prepareBody(content, preparation)
    : {
        headers: content.headers,
        body: null,
        facts: null,
        form: null,
        order: await readOrderFromBody(Buffer.alloc(0), content, preparation),
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
      ? await repairUpload({ ...uploadOf(preparation), headers: repaired.headers, start })
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

function uploadOf({ proxy, inFlight }: Preparation) {
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
  if (proxy.strict) {
    const order = await readOrderFromBody(received, content, preparation);
    const facts = await readBody(received);
    recordFacts(facts, inFlight);
    return { headers: content.headers, body: received, facts, form: null, order };
  }
  const decoded = await decode(content, received, { inFlight, memory });
  const typed = repairContentType(decoded.headers, decoded.bytes, inFlight.method);
  inFlight.addRepairs(typed.repairs);
  const repaired = toContent(typed.headers);
  const isForm = preparation.route.orderPath !== null && isMultipart(repaired.type);
  const complete = isForm ? withFormParts(decoded.bytes, repaired.type, inFlight) : decoded.bytes;
  const order = await readOrderFromBody(complete, repaired, preparation);
  if (preparation.route.name === 'video-submit' && order?.form) {
    return await prepareForm(typed.headers, { ...order, form: order.form }, preparation);
  }
  const plain = stripBom(complete, inFlight);
  const facts = await readBody(plain);
  recordFacts(facts, inFlight);
  const named = replaceModelName(plain, facts, preparation);
  const bytes = named instanceof Promise ? await named : named;
  const body = repairBody(bytes, facts, preparation);
  return { headers: typed.headers, body, facts, form: null, order };
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
  await resolveModelName(form.model, preparation);
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

async function decode(
  { headers, coding }: Content,
  bytes: Buffer,
  { inFlight, memory }: Pick<Preparation, 'inFlight' | 'memory'>,
): Promise<{ headers: string[]; bytes: Buffer }> {
  if (coding === undefined || coding.trim().toLowerCase() === 'identity') return { headers, bytes };
  const plain = await decodeBody(bytes, coding, { bytes: MAX_BUFFERED_BODY, memory });
  memory.shrink(bytes.length);
  inFlight.addRepairs([createRepair('body-decoded', coding, 'identity')]);
  return { headers: withoutHeaders(headers, CODING), bytes: plain };
}

function recordFacts(facts: BodyFacts, inFlight: InFlightExchange): void {
  inFlight.modelAsked = facts.model;
  inFlight.modelSent = facts.model;
  inFlight.streamed = facts.stream;
  inFlight.conversation ??= facts.promptCacheKey;
}

/** Replaces another name of a model by its exact id. Returns a promise only for a name that is no id. */
function replaceModelName(
  body: Buffer,
  { model }: BodyFacts,
  preparation: Preparation,
): Buffer | Promise<Buffer> {
  const match = resolveModelName(model, preparation);
  return match?.then((id) => (id === null ? body : setModel(body, id))) ?? body;
}

/** Finds and records the exact id for another name of a model; `null` when there is not exactly one. */
function resolveModelName(
  model: string | null,
  { route, proxy, inFlight }: Preparation,
): Promise<string | null> | null {
  const isModel = route.protocol !== null || route.name === 'video-submit';
  if (model === null || !isModel || model.length > MAX_MODEL_LENGTH || proxy.models.has(model)) {
    return null;
  }
  return proxy.models.match(model).then((match) => {
    if (match.kind !== 'one') return null;
    inFlight.modelSent = match.id;
    inFlight.addRepairs([createRepair('model-id', model, match.id)]);
    return match.id;
  });
}

function repairBody(
  original: Buffer,
  facts: BodyFacts,
  { route, proxy, inFlight }: Preparation,
): Buffer {
  let body = original;
  const addRepair: (...repair: Parameters<typeof createRepair>) => void = (...repair) =>
    inFlight.addRepairs([createRepair(...repair)]);
  if (route.name === 'chat' && facts.promptOnly) {
    body = promptToMessages(body);
    addRepair('prompt-to-messages', 'prompt', 'messages');
  }
  if (route.name === 'video-submit' && facts.secondsNumber !== null) {
    body = secondsToString(body);
    addRepair('seconds-to-string', String(facts.secondsNumber), `"${facts.secondsNumber}"`);
  }
  if (route.name === 'chat' && facts.hasStreamOptions && inFlight.modelSent !== null) {
    if (proxy.refused.has(inFlight.modelSent, 'stream_options')) {
      body = removeStreamOptions(body);
      addRepair('stream-options-removed', 'stream_options', 'left out');
    }
  }
  return body;
}

/** Headers in which clients name their conversation, the most specific first. */
const CONVERSATION_HEADERS = [
  'x-claude-code-session-id',
  'session-id',
  'session_id',
  'thread-id',
  'x-session-id',
];

const MAX_CONVERSATION_ID_LENGTH = 200;

/** Finds the id that a client gives to its conversation; `null` when there is none. */
function findConversationId(headers: readonly string[]): string | null {
  for (const name of CONVERSATION_HEADERS) {
    const value = findHeader(headers, name);
    if (value !== undefined && value !== '') return value.slice(0, MAX_CONVERSATION_ID_LENGTH);
  }
  return null;
}
