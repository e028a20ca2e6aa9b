import type { Candidate, FieldMap, VideoQuestion } from '../../shared/video.ts';
import { tellsOutcome } from '../proxy/proxy.ts';
import type { Happening } from './event.ts';
import type { Suspect } from './job.ts';
import { isRefusal, whatCame } from './saying.ts';
import { findAddresses, findIdentifiers, isIdentifier, valueAt } from './studio/shapes.ts';
import type { Reply } from './studio/studio.ts';

/** What an answer means, and what it taught about the service's fields. */
export interface Reading<Event> {
  readonly event: Event;
  readonly learned: Partial<FieldMap>;
}

export type UploadReading = Reading<
  | Happening<'uploaded'>
  | Happening<'upload-failed'>
  | Happening<'upload-refused'>
  | Happening<'upload-unclear'>
>;

const NO_JSON = 'The service took the image, but what it answered is no JSON.';

/** Answers are shown whole up to here. */
const MOST_SHOWN = 64 * 1024;

function shown(text: string): string {
  return text.slice(0, MOST_SHOWN);
}

/** What comes of an upload (spec section 2.5: the name of the field is not shown). */
export function readUpload(reply: Reply, map: FieldMap): UploadReading {
  if (reply.kind === 'none') return again(reply.sentence, null);
  const { status, json, text, retryAfterMs } = reply;
  if (isRefusal(status)) {
    const sentence = `The image was refused, and nothing was ordered. ${whatCame(reply)}`;
    return { event: { kind: 'upload-refused', sentence }, learned: {} };
  }
  if (status < 200 || status > 299) return again(whatCame(reply), retryAfterMs);
  if (json === undefined) return again(NO_JSON, retryAfterMs);
  const found = addressesIn(json, map);
  const [only] = found;
  if (only === undefined || found.length > 1) {
    const question: VideoQuestion = {
      about: 'file-url',
      answer: shown(text),
      candidates: [...found],
    };
    return { event: { kind: 'upload-unclear', question }, learned: {} };
  }
  return { event: { kind: 'uploaded', url: only.value }, learned: { fileUrl: only.pointer } };
}

function again(sentence: string, retryAfterMs: number | null): UploadReading {
  return { event: { kind: 'upload-failed', sentence, retryAfterMs }, learned: {} };
}

/** The one at the known place, or all there are. */
export function addressesIn(json: unknown, { fileUrl }: FieldMap): readonly Candidate[] {
  const found = findAddresses(json);
  const known = found.find(({ pointer }) => pointer === fileUrl);
  return known === undefined ? found : [known];
}

type OrderEvent =
  | Happening<'accepted'>
  | Happening<'not-ordered'>
  | Happening<'refused'>
  | Happening<'lost'>;

/** What was ordered, and what is known of the service. */
export interface OrderMade {
  readonly order: number;
  /** Parsed; what the answer merely repeats is not its identifier. */
  readonly request: unknown;
  readonly map: FieldMap;
}

/** What comes of an order. Only "not one byte sent" and what `tellsOutcome` says are definite. */
export function readOrderAnswer(reply: Reply, { order, request, map }: OrderMade): OrderEvent {
  if (reply.kind === 'none') {
    const { nothingSent, sentence } = reply;
    if (!nothingSent) return { kind: 'lost', order, sentence };
    return { kind: 'not-ordered', order, sentence, retryAfterMs: null };
  }
  const { status, retryAfterMs } = reply;
  if (status >= 200 && status <= 299) {
    const { taskId, suspects } = identifiersIn(reply.json, request, map);
    return { kind: 'accepted', order, taskId, suspects, answer: shown(reply.text) };
  }
  if (status === 429) {
    const sentence = `Nothing was ordered yet: the service has no room right now. ${whatCame(reply)}`;
    return { kind: 'not-ordered', order, sentence, retryAfterMs };
  }
  if (status >= 400 && tellsOutcome(status)) {
    const sentence = `The order was refused and not charged. ${whatCame(reply)}`;
    return { kind: 'refused', order, sentence, maybeUpload: status === 400 };
  }
  return { kind: 'lost', order, sentence: whatCame(reply) };
}

/** `taskId`: where the field map names its place. `suspects`: otherwise, what may be it (spec section 2.6). */
function identifiersIn(
  json: unknown,
  request: unknown,
  map: FieldMap,
): { readonly taskId: string | null; readonly suspects: readonly Suspect[] } {
  const found = findIdentifiers(json, request);
  const known = map.taskId === null ? null : valueAt(json, map.taskId);
  if (known !== null && isIdentifier(known)) return { taskId: known, suspects: [] };
  return { taskId: null, suspects: found.map((one) => ({ ...one, verdict: 'unasked' })) };
}
