import { decoderFor } from '../../http/content-coding.ts';
import { createUsageMeter, type Meter } from '../../usage/usage.ts';

import type { InFlightExchange } from '../in-flight-exchange.ts';
import { findContentCoding, findHeader, withoutHeaders } from '../../http/headers.ts';
import { keyMask } from '../../keys/key-mask.ts';
import { gatehouseHeaders } from '../in-flight-exchange.ts';
import {
  BROKEN_RESPONSE_MESSAGE,
  decodeUpstreamBody,
  relay,
  type RelayResult,
  type RelayOptions,
} from './relay.ts';
import { createRepair } from '../repair/create-repair.ts';
import { type ClientResponse, inspectResponse, withoutCoding } from './inspect-response.ts';
import type { Route } from '../route.ts';
import type { UpstreamResponse } from '../../http/send.ts';
import type { ExchangeContext } from '../context.ts';
import type { ServerResponse } from 'node:http';

export interface Delivery extends ExchangeContext {
  readonly route: Route;
}

/** A response with the format that its headers name. */
interface FormattedResponse extends ClientResponse {
  readonly coding: string | null;
  readonly isEventStream: boolean;
}

/** The recorded error when a response from this disk breaks off. */
const BROKEN_FILE_MESSAGE = 'The file of the video could not be read completely.';

const LENGTH: ReadonlySet<string> = new Set(['content-length']);

/** Sends the service's response to the client, streams chunk by chunk, and records the outcome. */
export async function sendResponse(
  upstreamResponse: UpstreamResponse,
  delivery: Delivery,
): Promise<void> {
  const { call, inFlight } = delivery;
  if (inFlight.attempts > 0) inFlight.headerSnapshots.answered ??= upstreamResponse.headers;
  const inspected = inspectResponse(upstreamResponse, delivery);
  const answer = decodeStream(
    withFormat(inspected instanceof Promise ? await inspected : inspected),
    delivery,
  );
  const { response } = call;
  inFlight.status = answer.status;
  response.sendDate = false;
  const stream = toStreamOptions(answer, delivery);
  const headers = stream === null ? answer.headers : withoutHeaders(answer.headers, LENGTH);
  const mask = keyMask(inFlight.keySent);
  const returned = [
    ...headers.map((text, index) => (index % 2 === 0 ? text : mask.text(text))),
    ...gatehouseHeaders(inFlight),
  ];
  inFlight.headerSnapshots.returned = returned;
  response.writeHead(answer.status, mask.text(reasonPhrase(answer)), returned);
  if (Buffer.isBuffer(answer.body)) {
    inFlight.firstByteAt = performance.now();
    inFlight.bytesOut = answer.body.length;
    response.end(mask.bytes(answer.body));
    await responseClosed(response);
    inFlight.endedBy = response.writableFinished ? inFlight.answeredBy : 'client';
    return;
  }
  const meter = createMeter(answer, delivery);
  inFlight.streamed ||= answer.isEventStream;
  const relayed = await relay({
    body: answer.body,
    response,
    signal: call.signal,
    meter,
    mask,
    stream,
  });
  await recordOutcome(relayed, meter, inFlight);
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
  const type = findHeader(headers, 'content-type') ?? '';
  return {
    ...response,
    coding: findContentCoding(headers),
    isEventStream: status === 200 && /^\s*text\/event-stream\b/i.test(type),
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
  return statusText.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?');
}

async function recordOutcome(
  relayed: RelayResult,
  meter: Meter | null,
  inFlight: InFlightExchange,
): Promise<void> {
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
      : inFlight.withSleepHint(BROKEN_RESPONSE_MESSAGE);
  }
  if (meter === null) return;
  const measured = await meter.finish();
  inFlight.usage = measured.usage;
  inFlight.modelServed = measured.modelServed;
  inFlight.errorCode ??= measured.errorCode;
}

/** Resolves when the last byte of a response was sent, or its client has left. */
export function responseClosed(response: ServerResponse): Promise<void> {
  if (response.writableFinished || response.closed) return Promise.resolve();
  return new Promise((resolve) => {
    response.once('finish', resolve);
    response.once('close', resolve);
  });
}
