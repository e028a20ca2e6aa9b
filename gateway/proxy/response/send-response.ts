import type { CapturedBody } from '../../bodies/bodies.ts';
import { decoderFor } from '../../http/content-coding.ts';
import { createUsageMeter, UsageFilter, type Measurement, type Meter } from '../../usage/usage.ts';

import type { InFlightExchange } from '../in-flight-exchange.ts';
import { findContentCoding, findHeader, withoutHeaders } from '../../http/headers.ts';
import { gatehouseHeaders } from '../in-flight-exchange.ts';
import {
  describeBrokenResponse,
  decodeUpstreamBody,
  relay,
  type RelayResult,
  type RelayOptions,
} from './relay.ts';
import { createRepair } from '../repair/create-repair.ts';
import {
  type ClientResponse,
  inspectResponse,
  recordPage,
  recordUnusable,
  withoutCoding,
} from './inspect-response.ts';
import { StreamLimit } from './stream-limit.ts';
import type { Route } from '../route.ts';
import type { UpstreamResponse } from '../../http/send.ts';
import type { ExchangeContext } from '../context.ts';

export interface Delivery extends ExchangeContext {
  readonly route: Route;
}

/** A response with the format that its headers name. */
interface FormattedResponse extends ClientResponse {
  /** `Content-Type`. */
  readonly type: string | undefined;
  readonly coding: string | null;
  readonly isEventStream: boolean;
}

/** The recorded error when a response from this disk breaks off. */
const BROKEN_FILE_MESSAGE = 'The file of the video could not be read completely.';

const LENGTH: ReadonlySet<string> = new Set(['content-length']);

/**
 * Sends the service's response to the client, streams chunk by chunk, and records the outcome. Returns no promise for a short response
 * that has already come.
 */
export function sendResponse(
  upstreamResponse: UpstreamResponse,
  delivery: Delivery,
): Promise<void> | undefined {
  const { inFlight } = delivery;
  if (inFlight.attempts > 0) inFlight.headerSnapshots.answered ??= upstreamResponse.headers;
  const inspected = inspectResponse(upstreamResponse, delivery);
  return inspected instanceof Promise
    ? inspected.then((response) => sendInspected(response, delivery))
    : sendInspected(inspected, delivery);
}

function sendInspected(inspected: ClientResponse, delivery: Delivery): Promise<void> | undefined {
  const { call, proxy, inFlight } = delivery;
  const answer = decodeStream(withFormat(inspected), delivery);
  const { response, signal } = call;
  inFlight.status = answer.status;
  recordUnusable(answer, delivery.route, inFlight);
  response.sendDate = false;
  const stream = toStreamOptions(answer, delivery);
  const headers = stream === null ? answer.headers : withoutHeaders(answer.headers, LENGTH);
  const mask = proxy.keyMaskFor(inFlight.keySent);
  const returned = [
    ...headers.map((text, index) => (index % 2 === 0 ? text : mask.text(text))),
    ...gatehouseHeaders(inFlight),
  ];
  inFlight.headerSnapshots.returned = returned;
  response.writeHead(answer.status, mask.text(reasonPhrase(answer)), returned);
  const { body } = answer;
  const captured = captureResponse(answer, inFlight);
  if (Buffer.isBuffer(body)) {
    captured?.push(body);
    return sendBuffer(mask.bytes(body), delivery);
  }
  const meter = createMeter(answer, delivery);
  inFlight.streamed ||= answer.isEventStream;
  const complete = stream === null && !signal.aborted ? body.takeComplete() : null;
  if (complete === null) {
    const filter = stream !== null && inFlight.isUsageAsked ? new UsageFilter() : null;
    const limit = createLimit(stream, delivery);
    return relay({ body, response, signal, meter, filter, limit, captured, mask, stream }).then(
      (relayed) => recordOutcome(relayed, meter, inFlight),
    );
  }
  response.end(mask.bytes(complete));
  captured?.push(complete);
  meter?.push(complete);
  meter?.end();
  const firstByteAt = performance.now();
  const relayed = {
    ending: 'complete',
    problem: null,
    bytesOut: complete.length,
    firstByteAt,
  } as const;
  return recordOutcome(relayed, meter, inFlight);
}

/** Creates what counts a stream for limits, also for those that are set while it comes; `null` where nothing counts it. */
function createLimit(stream: RelayOptions['stream'], delivery: Delivery): StreamLimit | null {
  const { inFlight, route } = delivery;
  if (stream === null || route.protocol === null || inFlight.admission === null) return null;
  return new StreamLimit(route.protocol, delivery);
}

/** Begins to capture the response that the client gets; `null` when bodies are not kept. */
function captureResponse(
  { type, coding, isEventStream }: FormattedResponse,
  { captured }: InFlightExchange,
): CapturedBody | null {
  return captured?.respond({ contentType: type ?? null, coding }, isEventStream) ?? null;
}

/** Sends a body of our own, and waits until it was sent. */
async function sendBuffer(body: Buffer, { call, inFlight }: Delivery): Promise<void> {
  inFlight.firstByteAt = performance.now();
  inFlight.bytesOut = body.length;
  call.response.end(body);
  await call.closed;
  inFlight.endedBy = call.response.writableFinished ? inFlight.answeredBy : 'client';
}

/** Decodes a compressed event stream, because heartbeat comments cannot be written into it otherwise. */
function decodeStream(answer: FormattedResponse, { proxy, inFlight }: Delivery): FormattedResponse {
  const { coding, isEventStream } = answer;
  if (proxy.strict || coding === null || !isEventStream) return answer;
  const decoder = decoderFor(coding);
  if (decoder === null || Buffer.isBuffer(answer.body)) return answer;
  inFlight.addRepairs([createRepair('stream-decoded', coding, 'identity')]);
  return {
    ...answer,
    coding: null,
    headers: withoutCoding(answer.headers),
    body: decodeUpstreamBody(answer.body, decoder),
  };
}

function createMeter(
  answer: FormattedResponse,
  { route: { protocol }, memory }: Delivery,
): Meter | null {
  if (protocol === null || answer.status >= 300) return null;
  return createUsageMeter({
    protocol,
    streamed: answer.isEventStream,
    encoding: answer.coding,
    memory,
  });
}

/** Reads the format of a response from its headers, once. */
function withFormat(response: ClientResponse): FormattedResponse {
  const { status, headers } = response;
  const type = findHeader(headers, 'content-type');
  return {
    ...response,
    type,
    coding: findContentCoding(headers),
    isEventStream: status === 200 && /^\s*text\/event-stream\b/i.test(type ?? ''),
  };
}

/** Returns the heartbeat of a stream that comments may be written into, whose length is not fixed then; `null` for any other response. */
function toStreamOptions(
  { isEventStream, coding }: FormattedResponse,
  { proxy, route }: Delivery,
): RelayOptions['stream'] {
  if (!isEventStream || route.protocol === null || coding !== null) return null;
  return { heartbeatMs: proxy.limits.heartbeatMs };
}

/** Replaces characters that a reason phrase must not have (RFC 9112 section 4). */
function reasonPhrase({ statusText }: ClientResponse): string {
  if (statusText === 'OK') return statusText;
  return statusText.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?');
}

function recordOutcome(
  relayed: RelayResult,
  meter: Meter | null,
  inFlight: InFlightExchange,
): Promise<void> | undefined {
  inFlight.bytesOut = relayed.bytesOut;
  inFlight.firstByteAt = relayed.firstByteAt;
  // Some clients disconnect after the last event, which is a good end.
  const isClientClosed = relayed.ending === 'client-closed' && meter?.ending !== 'seen';
  inFlight.endedBy = isClientClosed ? 'client' : inFlight.answeredBy;
  if (relayed.ending === 'broken') {
    const isOurs = inFlight.answeredBy === 'gateway';
    inFlight.errorCode = isOurs ? 'internal_error' : 'upstream_connection_lost';
    inFlight.errorMessage = isOurs
      ? BROKEN_FILE_MESSAGE
      : inFlight.withSleepHint(describeBrokenResponse(inFlight.service));
  }
  if (relayed.problem !== null) {
    inFlight.endedBy = 'gateway';
    inFlight.errorCode = relayed.problem.code;
    inFlight.errorMessage = relayed.problem.message;
  }
  const measured = meter?.finish();
  if (measured instanceof Promise) return measured.then((late) => addMeasured(late, inFlight));
  if (measured !== undefined) addMeasured(measured, inFlight);
  return undefined;
}

function addMeasured(
  { usage, modelServed, answerId, errorCode, isPage }: Measurement,
  inFlight: InFlightExchange,
): void {
  inFlight.usage = usage;
  inFlight.modelServed = modelServed;
  inFlight.answerId = answerId;
  inFlight.errorCode ??= errorCode;
  if (isPage) recordPage(inFlight);
}
