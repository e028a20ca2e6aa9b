import { pluralize } from '../format.ts';
import type { CacheDiagnosis } from './run.ts';

/** A reason is a short name. Anything else is read as none. */
const REASON = /^[\w.-]{1,60}$/u;

/** What each reason of a service means, in both protocols. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['model_changed', 'the model changed'],
  ['system_changed', 'the system prompt changed'],
  ['tools_changed', 'the tools changed'],
  ['messages_changed', 'an earlier message changed'],
  ['input_changed', 'the input changed'],
  ['prompt_cache_key_changed', 'the cache key changed'],
  ['text_format_changed', 'the text format changed'],
  ['reasoning_effort_changed', 'the reasoning effort changed'],
  ['verbosity_changed', 'the verbosity changed'],
  ['context_compacted', 'the history was compacted'],
  ['service_tier_changed', 'the service tier changed'],
]);

const UNREAD = { kind: 'unavailable', reason: null, missed: null } as const;

/**
 * Reads `diagnostics` of a message. Never fails: `null` when it says nothing, as where nothing differs. Only an object whose reason is
 * `null` means that the service had not compared the requests yet.
 */
export function readMessageDiagnosis(value: unknown): CacheDiagnosis | null {
  if (!isObject(value) || !('cache_miss_reason' in value)) return null;
  const reason = value['cache_miss_reason'];
  if (reason === null) return { ...UNREAD, kind: 'pending' };
  const type = isObject(reason) ? reason['type'] : reason;
  if (type === 'previous_message_not_found') return { ...UNREAD, kind: 'not-found' };
  const missed = isObject(reason) ? reason['cache_missed_input_tokens'] : null;
  return toChange(type, missed);
}

/** Reads `prompt_cache_diagnostics` of a response. Never fails: `null` when it says nothing. */
export function readResponseDiagnosis(value: unknown): CacheDiagnosis | null {
  if (!isObject(value)) return null;
  const { type, reason, cache_missed_tokens: missed } = value;
  if (type === 'cache_hit') return { ...UNREAD, kind: 'hit' };
  if (type === 'comparison_response_not_found') return { ...UNREAD, kind: 'not-found' };
  return toChange(type === 'cache_miss' ? reason : type, missed);
}

function toChange(reason: unknown, missed: unknown): CacheDiagnosis | null {
  if (typeof reason !== 'string' || !REASON.test(reason)) return null;
  if (reason === 'unavailable') return UNREAD;
  const isCount = typeof missed === 'number' && Number.isSafeInteger(missed) && missed >= 0;
  return { kind: 'changed', reason, missed: isCount ? missed : null };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Says what the service found: `The service says: the tools changed (12,340 tokens missed).` Where the cache did not miss as far as
 * Gatehouse knows, only a change is worth a sentence; `null` for any other.
 */
export function describeDiagnosis(
  diagnosis: CacheDiagnosis | null,
  isMissed: boolean,
): string | null {
  if (diagnosis === null || (!isMissed && diagnosis.kind !== 'changed')) return null;
  return `The service says: ${toClause(diagnosis)}.`;
}

function toClause({ kind, reason, missed }: CacheDiagnosis): string {
  switch (kind) {
    case 'changed': {
      const words = REASONS.get(reason ?? '') ?? `“${reason ?? ''}”`;
      return missed === null ? words : `${words} (${pluralize(missed, 'token')} missed)`;
    }
    case 'hit':
      return 'it found the request before in its cache';
    case 'pending':
      return 'it does not know yet, because it had not compared the requests when it answered';
    case 'not-found':
      return 'it does not know the request before any more';
    case 'unavailable':
      return 'it has no explanation';
  }
}
