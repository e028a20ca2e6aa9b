import { decoderFor } from '../../http/content-coding.ts';
import { createUsageMeter, type Meter } from '../../usage/usage.ts';
import { responseClosed } from '../inbound/client-request.ts';
import type { InFlightExchange } from '../in-flight-exchange.ts';
import { findHeader, withoutHeaders } from '../../http/headers.ts';
import { keyMask } from '../../keys/key-mask.ts';
import { gatehouseHeaders } from './gatehouse-headers.ts';
import { BROKEN_ANSWER, decodedBody, relay, type RelayResult, type RelayOptions } from './relay.ts';
import { createRepair } from '../repair/create-repair.ts';
import { type ClientResponse, inspectResponse, withoutCoding } from './inspect-response.ts';
import type { Route } from '../route.ts';
import type { UpstreamResponse } from '../../http/send.ts';
import type { ExchangeContext } from '../exchange-context.ts';

export interface Delivery extends ExchangeContext {
  readonly route: Route;
}

/** What is kept of an answer from this disk that breaks off. */
const BROKEN_FILE = 'The file of the video could not be read to its end.';

const LENGTH: ReadonlySet<string> = new Set(['content-length']);

/** Gives the service's answer to the client, a stream chunk by chunk, and notes in the draft how it went. */
export async function sendResponse(
  upstreamResponse: UpstreamResponse,
  delivery: Delivery,
): Promise<void> {
  const { call, inFlight } = delivery;
  if (inFlight.attempts > 0) inFlight.headerSnapshots.answered ??= upstreamResponse.headers;
  const reviewed = inspectResponse(upstreamResponse, delivery);
  const answer = plainStream(reviewed instanceof Promise ? await reviewed : reviewed, delivery);
  const { response } = call;
  inFlight.status = answer.status;
  response.sendDate = false;
  const stream = streamOf(answer, delivery);
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
  inFlight.streamed ||= isEventStream(answer);
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

/** A compressed event stream is decoded: no comment could be put into it otherwise. */
function plainStream(answer: ClientResponse, { proxy, inFlight }: Delivery): ClientResponse {
  const coding = findCoding(answer);
  if (proxy.strict || coding === null || !isEventStream(answer)) return answer;
  const decoder = decoderFor(coding);
  if (decoder === null || Buffer.isBuffer(answer.body)) return answer;
  inFlight.addRepairs([createRepair('stream-decoded', coding, 'identity')]);
  return {
    ...answer,
    headers: withoutCoding(answer.headers),
    body: decodedBody(answer.body, decoder),
  };
}

function createMeter(
  answer: ClientResponse,
  { route: { protocol }, memory }: Delivery,
): Meter | null {
  if (protocol === null || answer.status >= 300) return null;
  return createUsageMeter({
    protocol,
    streamed: isEventStream(answer),
    encoding: findCoding(answer),
    memory,
  });
}

function isEventStream({ headers, status }: ClientResponse): boolean {
  return (
    status === 200 && /^\s*text\/event-stream\b/i.test(findHeader(headers, 'content-type') ?? '')
  );
}

/** An event stream that can be written into: its length is not fixed then, for a comment may come in. */
function streamOf(answer: ClientResponse, { proxy, route }: Delivery): RelayOptions['stream'] {
  if (!isEventStream(answer) || route.protocol === null || findCoding(answer) !== null) return null;
  return { heartbeatMs: proxy.limits.heartbeatMs };
}

/** Node sends no other characters (RFC 9112 section 4). */
function reasonPhrase({ statusText }: ClientResponse): string {
  return statusText.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?');
}

function findCoding({ headers }: ClientResponse): string | null {
  const coding = findHeader(headers, 'content-encoding')?.trim().toLowerCase();
  return coding === undefined || coding === '' || coding === 'identity' ? null : coding;
}

async function recordOutcome(
  relayed: RelayResult,
  meter: Meter | null,
  inFlight: InFlightExchange,
): Promise<void> {
  inFlight.bytesOut = relayed.bytesOut;
  inFlight.firstByteAt = relayed.firstByteAt;
  // Who leaves after the last event leaves after a good end: some clients hang up there.
  const left = relayed.ending === 'left' && meter?.ending !== 'seen';
  inFlight.endedBy = left ? 'client' : inFlight.answeredBy;
  if (relayed.ending === 'broken') {
    const ours = inFlight.answeredBy === 'gateway';
    inFlight.errorCode = ours ? 'internal_error' : 'upstream_connection_lost';
    inFlight.errorMessage = ours ? BROKEN_FILE : inFlight.withSleepHint(BROKEN_ANSWER);
  }
  if (meter === null) return;
  const measured = await meter.finish();
  inFlight.usage = measured.usage;
  inFlight.modelServed = measured.modelServed;
  inFlight.errorCode ??= measured.errorCode;
}
