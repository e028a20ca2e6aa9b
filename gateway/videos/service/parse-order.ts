import type { Candidate, FieldMap, VideoQuestion } from '../../../shared/video/video.ts';
import { hasOutcome } from '../../../shared/exchange/outcome.ts';
import type { EventPayload } from '../transitions/event.ts';
import type { TaskIdCandidate } from '../transitions/job.ts';
import { isRefusal, describeReply } from './describe-reply.ts';
import { findUrls, findIdentifiers, isIdentifier, getValueAt } from './detect-fields.ts';
import type { Reply } from './types.ts';

/** The event of a reply, and the fields of the service that it showed. */
export interface ParsedReply<Event> {
  readonly event: Event;
  readonly learned: Partial<FieldMap>;
}

export type ParsedUpload = ParsedReply<
  | EventPayload<'uploaded'>
  | EventPayload<'upload-failed'>
  | EventPayload<'upload-refused'>
  | EventPayload<'upload-unclear'>
>;

const NO_JSON = 'The service accepted the image, but its answer is not JSON.';

/** Longer answers are shown truncated. */
const MAX_SHOWN = 64 * 1024;

function toShownText(text: string): string {
  return text.slice(0, MAX_SHOWN);
}

/** Parses the reply to an upload (spec section 2.5: the name of the field is not shown). */
export function parseUpload(reply: Reply, map: FieldMap): ParsedUpload {
  if (reply.kind === 'none') return toRetry(reply.sentence, null);
  const { status, json, text, retryAfterMs } = reply;
  if (isRefusal(status)) {
    const sentence = `The image was refused, and nothing was ordered. ${describeReply(reply)}`;
    return { event: { kind: 'upload-refused', sentence }, learned: {} };
  }
  if (status < 200 || status > 299) return toRetry(describeReply(reply), retryAfterMs);
  if (json === undefined) return toRetry(NO_JSON, retryAfterMs);
  const found = findUploadUrls(json, map);
  const [only] = found;
  if (only === undefined || found.length > 1) {
    const question: VideoQuestion = {
      about: 'file-url',
      answer: toShownText(text),
      candidates: [...found],
    };
    return { event: { kind: 'upload-unclear', question }, learned: {} };
  }
  return { event: { kind: 'uploaded', url: only.value }, learned: { fileUrl: only.pointer } };
}

function toRetry(sentence: string, retryAfterMs: number | null): ParsedUpload {
  return { event: { kind: 'upload-failed', sentence, retryAfterMs }, learned: {} };
}

/** Finds the address at the known place, or all addresses. */
export function findUploadUrls(json: unknown, { fileUrl }: FieldMap): readonly Candidate[] {
  const found = findUrls(json);
  const known = found.find(({ pointer }) => pointer === fileUrl);
  return known === undefined ? found : [known];
}

type OrderEvent =
  | EventPayload<'accepted'>
  | EventPayload<'not-ordered'>
  | EventPayload<'refused'>
  | EventPayload<'lost'>;

/** An order, and the field map of its service. */
export interface SubmittedOrder {
  readonly order: number;
  /** The parsed body. Values that the answer repeats are not the id. */
  readonly request: unknown;
  readonly map: FieldMap;
}

/** Parses the reply to an order. Only "no byte sent" and statuses with `hasOutcome` are definite. */
export function parseOrderAnswer(
  reply: Reply,
  { order, request, map }: SubmittedOrder,
): OrderEvent {
  if (reply.kind === 'none') {
    const { nothingSent, sentence } = reply;
    if (!nothingSent) return { kind: 'lost', order, sentence };
    return { kind: 'not-ordered', order, sentence, retryAfterMs: null };
  }
  const { status, retryAfterMs } = reply;
  if (status >= 200 && status <= 299) {
    const { taskId, suspects } = findTaskIds(reply.json, request, map);
    return { kind: 'accepted', order, taskId, suspects, answer: toShownText(reply.text) };
  }
  if (status === 429) {
    const sentence = `Nothing was ordered yet: the service has no capacity right now. ${describeReply(reply)}`;
    return { kind: 'not-ordered', order, sentence, retryAfterMs };
  }
  if (status >= 400 && hasOutcome(status)) {
    const sentence = `The order was refused and costs nothing. ${describeReply(reply)}`;
    return { kind: 'refused', order, sentence, maybeUpload: status === 400 };
  }
  return { kind: 'lost', order, sentence: describeReply(reply) };
}

/** Finds the id at the known place, or the candidates for it (spec section 2.6). */
function findTaskIds(
  json: unknown,
  request: unknown,
  map: FieldMap,
): { readonly taskId: string | null; readonly suspects: readonly TaskIdCandidate[] } {
  const found = findIdentifiers(json, request);
  const known = map.taskId === null ? null : getValueAt(json, map.taskId);
  if (known !== null && isIdentifier(known)) return { taskId: known, suspects: [] };
  return { taskId: null, suspects: found.map((one) => ({ ...one, verdict: 'unasked' })) };
}
