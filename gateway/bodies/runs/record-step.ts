import type { ExchangeBodies, StoredBody } from '../../../shared/exchange/body.ts';
import { assembleResponse } from '../../../shared/parse-bodies/assemble-response.ts';
import { toName, toObject, tryParse } from '../../../shared/parse-bodies/json.ts';
import type { Part } from '../../../shared/parse-bodies/parts.ts';
import type { StepFacts } from '../../../shared/run/run.ts';
import { skipBlocks } from './build-step.ts';
import { outlineRequest, type RequestOutline, SYSTEM_ROLES } from './outline-request.ts';
import { findStableText } from './stable-text.ts';

/** A step of a run in the form of the sandbox's fixtures (`sandbox/README.md`). */
export interface RecordedStep {
  /** JSON. */
  readonly json: string;
  /** The models that its request names, before and after repairs. */
  readonly models: readonly string[];
  /** Number of secrets that are masked in its response. */
  readonly masked: number;
}

/** The content types and the names of models that a fixture can have. */
const CONTENT_TYPE = /^[\x20-\x7e]{1,200}$/u;
const MAX_NAME = 256;
const EVENT_STREAM = /^\s*text\/event-stream\b/iu;
/** Matches the place after a blank line, which ends an event. */
const EVENT_END = /(?<=\n\r?\n)/u;

/** Makes a step of a fixture from an exchange; `null` when its response is not kept whole. */
export function recordStep(
  { state, received, sent, returned }: ExchangeBodies,
  facts: StepFacts,
): RecordedStep | null {
  // A request that was repaired may have been none of its protocol before.
  const [request = null] = [received, sent].filter(
    (body) => body !== null && outlineRequest(facts.protocol, body) !== null,
  );
  const outline = request === null ? null : outlineRequest(facts.protocol, request);
  if (state !== 'kept' || request === null || outline === null || facts.status === null)
    return null;
  if (returned !== null && (returned.binary || returned.omitted !== null)) return null;
  const when = toCondition(outline, request, facts);
  const response = toResponse(returned, facts);
  return {
    json: JSON.stringify({ when, response }, null, 2),
    models: [received, sent].flatMap((body) => findModel(body) ?? []),
    masked: returned?.masked ?? 0,
  };
}

/** Describes the request by what the same step of another session has, too. What a missing middle hides is left open. */
function toCondition(outline: RequestOutline, { text, omitted }: StoredBody, facts: StepFacts) {
  const hasTools = outline.tools.length > 0;
  const stable = findStableText(listNewestTexts(outline));
  return {
    protocol: facts.protocol,
    ...(hasTools || omitted === null ? { tools: hasTools } : {}),
    ...(omitted === null ? { stream: toObject(tryParse(text))['stream'] === true } : {}),
    ...(stable === null ? {} : { contains: stable }),
  };
}

/** Lists the texts that came after the latest answer: those of the user, without the blocks before them, and those of results. */
function listNewestTexts({ messages, tail }: RequestOutline): readonly string[] {
  const all = [...messages, ...tail];
  return all
    .slice(all.findLastIndex(({ name }) => name === 'assistant') + 1)
    .filter(({ name }) => !SYSTEM_ROLES.has(name))
    .flatMap(({ parts }) => parts.flatMap(listTexts));
}

function listTexts(part: Part): readonly string[] {
  if (part.kind === 'text') return [skipBlocks(part.text)];
  if (part.kind !== 'result') return [];
  return part.parts.flatMap((inner) => (inner.kind === 'text' ? [inner.text] : []));
}

function toResponse(body: StoredBody | null, facts: StepFacts): object {
  const text = body?.text ?? '';
  const contentType = body?.contentType ?? '';
  const isStream = EVENT_STREAM.test(contentType);
  return {
    status: facts.status,
    ...(CONTENT_TYPE.test(contentType) ? { contentType } : {}),
    ...(isStream ? { events: text.split(EVENT_END) } : { body: text }),
    ...(isCut(body, facts) ? { cut: true } : {}),
  };
}

/** Whether a response ended before it was complete. */
function isCut(
  body: StoredBody | null,
  { protocol, status, endedBy, errorCode }: StepFacts,
): boolean {
  const isSuccess = status !== null && status >= 200 && status < 300;
  const mayBeCut = endedBy !== 'service' || errorCode === 'upstream_connection_lost';
  if (!isSuccess || !mayBeCut) return false;
  return body === null || assembleResponse(protocol, body)?.isComplete !== true;
}

function findModel(body: StoredBody | null): string | null {
  const name = body === null ? null : toName(toObject(tryParse(body.text))['model']);
  return name === null || name.length > MAX_NAME ? null : name;
}
