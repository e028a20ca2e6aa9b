import { wrapModelList } from '../models/models.ts';
import type { Room } from '../memory-budget.ts';
import type { AnswerBody } from './answer-body.ts';
import type { Draft } from './draft.ts';
import { errorIn, suggestModels } from './error-answer.ts';
import { SendFailure, upstreamProblem } from './failure.ts';
import { type Hold, HOLD_ERROR, HOLD_LIST, holdPlain } from './hold.ts';
import { withoutHeaders } from './hop.ts';
import type { ProxyParts } from './parts.ts';
import { advise } from './repair/advice.ts';
import type { Route } from './route.ts';
import type { Incoming } from './send.ts';

/** An answer as it goes to the client: as it came, or in one piece because something in it was repaired. */
export interface Answer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly string[];
  readonly body: AnswerBody | Buffer;
}

export interface Review {
  readonly parts: ProxyParts;
  readonly draft: Draft;
  readonly memory: Room;
  readonly route: Route;
}

const CODING: ReadonlySet<string> = new Set(['content-encoding', 'content-length']);

/** Looks at the two kinds of answer that may need repair, the model list and errors. All others pass untouched. */
export function reviewAnswer(incoming: Incoming, review: Review): Answer | Promise<Answer> {
  if (incoming.status >= 400) return reviewError(incoming, review);
  const isList = incoming.status === 200 && review.route.name === 'models';
  return isList ? reviewModelList(incoming, review) : incoming;
}

/** The same headers for a body that is no longer encoded, its length not yet known. */
export function withoutCoding(headers: readonly string[]): string[] {
  return withoutHeaders(headers, CODING);
}

async function reviewModelList(
  incoming: Incoming,
  { parts, draft, memory }: Review,
): Promise<Answer> {
  const plain = await held(incoming, HOLD_LIST, { parts, memory });
  if (plain === null) return incoming;
  // A query may ask for a part of the list only.
  if (draft.pathSent?.includes('?') !== true) parts.models.learn(plain);
  const wrapped = parts.strict ? null : wrapModelList(plain);
  if (wrapped === null || !wrapped.changed) return incoming;
  draft.note([
    advise('models-wrapper', 'the wrapper of the service', '{"object": "list", "data": […]}'),
  ]);
  return replaced(incoming, wrapped.body);
}

async function reviewError(incoming: Incoming, { parts, draft, memory }: Review): Promise<Answer> {
  const plain = await held(incoming, HOLD_ERROR, { parts, memory });
  if (plain === null) return incoming;
  const error = errorIn(plain);
  draft.errorCode = error.code;
  draft.errorMessage = error.message;
  let bytes = withoutKey(plain, { parts, draft });
  if (draft.errorCode === 'model_not_found' && draft.modelAsked !== null && !parts.strict) {
    const match = await parts.models.match(draft.modelAsked);
    const suggested =
      match.kind === 'none' ? suggestModels(bytes, draft.modelAsked, match.suggestions) : null;
    if (suggested !== null) {
      draft.note([suggested.repair]);
      bytes = suggested.bytes;
    }
  }
  return bytes === plain ? incoming : replaced(incoming, bytes);
}

/** Some services repeat the key they refuse: it goes no further than here, also in strict mode. */
function withoutKey(bytes: Buffer, { parts, draft }: Pick<Review, 'parts' | 'draft'>): Buffer {
  const text = bytes.toString('latin1');
  const redacted = parts.redact(text);
  if (redacted === text) return bytes;
  draft.note([
    advise('key-redacted', 'an error that repeats the service key', 'the same without it'),
  ]);
  return Buffer.from(redacted, 'latin1');
}

/** Holds an answer; one that breaks off meanwhile is the service's failure. */
function held(
  incoming: Incoming,
  hold: Hold,
  { parts, memory }: Pick<Review, 'parts' | 'memory'>,
): Promise<Buffer | null> {
  return holdPlain(incoming, hold, memory).catch((error: Error) => {
    throw upstreamProblem(new SendFailure(error, false), parts.target.origin);
  });
}

function replaced(incoming: Incoming, body: Buffer): Answer {
  const headers = [...withoutCoding(incoming.headers), 'content-length', String(body.length)];
  return { status: incoming.status, statusText: incoming.statusText, headers, body };
}
