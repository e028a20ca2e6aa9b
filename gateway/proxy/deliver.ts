import { decoderFor } from '../content-coding.ts';
import { openMeter, type Meter } from '../usage/usage.ts';
import { whenDelivered } from './call.ts';
import type { Draft } from './draft.ts';
import { header, withoutHeaders } from './hop.ts';
import { keyMask } from './key-mask.ts';
import { marks } from './marks.ts';
import { BROKEN_ANSWER, decodedBody, relay, type Relayed, type RelayOptions } from './relay.ts';
import { advise } from './repair/advice.ts';
import { type Answer, reviewAnswer, withoutCoding } from './review.ts';
import type { Route } from './route.ts';
import type { Incoming } from './send.ts';
import type { Work } from './work.ts';

export interface Delivery extends Work {
  readonly route: Route;
}

/** What is kept of an answer from this disk that breaks off. */
const BROKEN_FILE = 'The file of the video could not be read to its end.';

const LENGTH: ReadonlySet<string> = new Set(['content-length']);

/** Gives the service's answer to the client, a stream chunk by chunk, and notes in the draft how it went. */
export async function deliver(incoming: Incoming, delivery: Delivery): Promise<void> {
  const { call, draft } = delivery;
  if (draft.attempts > 0) draft.heads.answered ??= incoming.headers;
  const reviewed = reviewAnswer(incoming, delivery);
  const answer = plainStream(reviewed instanceof Promise ? await reviewed : reviewed, delivery);
  const { reply } = call;
  draft.status = answer.status;
  reply.sendDate = false;
  const stream = streamOf(answer, delivery);
  const headers = stream === null ? answer.headers : withoutHeaders(answer.headers, LENGTH);
  const mask = keyMask(draft.keySent);
  const returned = [
    ...headers.map((text, index) => (index % 2 === 0 ? text : mask.text(text))),
    ...marks(draft),
  ];
  draft.heads.returned = returned;
  reply.writeHead(answer.status, mask.text(reasonPhrase(answer)), returned);
  if (Buffer.isBuffer(answer.body)) {
    draft.firstByteAt = performance.now();
    draft.bytesOut = answer.body.length;
    reply.end(mask.bytes(answer.body));
    await whenDelivered(reply);
    draft.endedBy = reply.writableFinished ? draft.answeredBy : 'client';
    return;
  }
  const meter = meterFor(answer, delivery);
  draft.streamed ||= isEventStream(answer);
  const relayed = await relay({
    body: answer.body,
    reply,
    gone: call.gone,
    meter,
    mask,
    stream,
  });
  await conclude(relayed, meter, draft);
}

/** A compressed event stream is decoded: no comment could be put into it otherwise. */
function plainStream(answer: Answer, { parts, draft }: Delivery): Answer {
  const coding = codingOf(answer);
  if (parts.strict || coding === null || !isEventStream(answer)) return answer;
  const decoder = decoderFor(coding);
  if (decoder === null || Buffer.isBuffer(answer.body)) return answer;
  draft.note([advise('stream-decoded', coding, 'identity')]);
  return {
    ...answer,
    headers: withoutCoding(answer.headers),
    body: decodedBody(answer.body, decoder),
  };
}

function meterFor(answer: Answer, { route: { protocol }, memory }: Delivery): Meter | null {
  if (protocol === null || answer.status >= 300) return null;
  return openMeter({
    protocol,
    streamed: isEventStream(answer),
    encoding: codingOf(answer),
    memory,
  });
}

function isEventStream({ headers, status }: Answer): boolean {
  return status === 200 && /^\s*text\/event-stream\b/i.test(header(headers, 'content-type') ?? '');
}

/** An event stream that can be written into: its length is not fixed then, for a comment may come in. */
function streamOf(answer: Answer, { parts, route }: Delivery): RelayOptions['stream'] {
  if (!isEventStream(answer) || route.protocol === null || codingOf(answer) !== null) return null;
  return { heartbeatMs: parts.limits.heartbeatMs };
}

/** Node sends no other characters (RFC 9112 section 4). */
function reasonPhrase({ statusText }: Answer): string {
  return statusText.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?');
}

function codingOf({ headers }: Answer): string | null {
  const coding = header(headers, 'content-encoding')?.trim().toLowerCase();
  return coding === undefined || coding === '' || coding === 'identity' ? null : coding;
}

async function conclude(relayed: Relayed, meter: Meter | null, draft: Draft): Promise<void> {
  draft.bytesOut = relayed.bytesOut;
  draft.firstByteAt = relayed.firstByteAt;
  // Who leaves after the last event leaves after a good end: some clients hang up there.
  const left = relayed.ending === 'left' && meter?.ending !== 'seen';
  draft.endedBy = left ? 'client' : draft.answeredBy;
  if (relayed.ending === 'broken') {
    const ours = draft.answeredBy === 'gateway';
    draft.errorCode = ours ? 'internal_error' : 'upstream_connection_lost';
    draft.errorMessage = ours ? BROKEN_FILE : draft.explain(BROKEN_ANSWER);
  }
  if (meter === null) return;
  const measured = await meter.finish();
  draft.usage = measured.usage;
  draft.modelServed = measured.modelServed;
  draft.errorCode ??= measured.errorCode;
}
