import { UNKNOWN_USAGE, type Usage } from '../../shared/usage.ts';
import { type JsonObject, asObject } from '../lib/json-object.ts';

/** Token counts as a protocol reports them; `null` where one is absent or absurd. */
export type TokenCounts = Omit<Usage, 'source'>;

export const NO_COUNTS: TokenCounts = {
  input: null,
  output: null,
  cacheRead: null,
  cacheWrite: null,
  reasoning: null,
};

/** No exchange has more tokens; larger counts are errors of a service, and would make the totals overflow. */
const MAX_TOKENS = 1e9;

function parseTokens(value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) return null;
  if (value < 0 || value > MAX_TOKENS) return null;
  return value === 0 ? 0 : value;
}

/** Parses `usage` of a chat answer (spec section 2.2) with the details that services add to it. */
export function parseChatCounts(usage: JsonObject): TokenCounts {
  const prompt = asObject(usage['prompt_tokens_details']);
  const completion = asObject(usage['completion_tokens_details']);
  return {
    input: parseTokens(usage['prompt_tokens']),
    output: parseTokens(usage['completion_tokens']),
    cacheRead: parseTokens(prompt?.['cached_tokens']),
    cacheWrite: null,
    reasoning: parseTokens(completion?.['reasoning_tokens']),
  };
}

/** Parses `usage` of a Responses answer. */
export function parseResponsesCounts(usage: JsonObject): TokenCounts {
  const input = asObject(usage['input_tokens_details']);
  const output = asObject(usage['output_tokens_details']);
  return {
    input: parseTokens(usage['input_tokens']),
    output: parseTokens(usage['output_tokens']),
    cacheRead: parseTokens(input?.['cached_tokens']),
    cacheWrite: null,
    reasoning: parseTokens(output?.['reasoning_tokens']),
  };
}

/** Parses `usage` of a Messages answer; its `input` does not include tokens read from and written to the cache yet. */
export function parseMessagesCounts(usage: JsonObject): TokenCounts {
  const output = asObject(usage['output_tokens_details']);
  return {
    input: parseTokens(usage['input_tokens']),
    output: parseTokens(usage['output_tokens']),
    cacheRead: parseTokens(usage['cache_read_input_tokens']),
    cacheWrite: parseTokens(usage['cache_creation_input_tokens']),
    reasoning: parseTokens(output?.['thinking_tokens']),
  };
}

/** Counts in a stream are cumulative, so the later one wins; but some services end with zeros after real counts. */
function latestCount(before: number | null, after: number | null): number | null {
  return after === null || (after === 0 && before !== null) ? before : after;
}

/** Merges the counts of two reports, one after the other. */
export function mergeCounts(before: TokenCounts, after: TokenCounts): TokenCounts {
  return {
    input: latestCount(before.input, after.input),
    output: latestCount(before.output, after.output),
    cacheRead: latestCount(before.cacheRead, after.cacheRead),
    cacheWrite: latestCount(before.cacheWrite, after.cacheWrite),
    reasoning: latestCount(before.reasoning, after.reasoning),
  };
}

/** Includes the cache's part in the input, as {@link Usage} requires. */
export function addCacheToInput(counts: TokenCounts): TokenCounts {
  if (counts.input === null) return counts;
  const input = parseTokens(counts.input + (counts.cacheRead ?? 0) + (counts.cacheWrite ?? 0));
  return { ...counts, input };
}

/** Returns reported usage, or unknown usage when neither input nor output was reported. */
export function toUsage(counts: TokenCounts): Usage {
  if (counts.input === null && counts.output === null) return UNKNOWN_USAGE;
  return { ...counts, source: 'reported' };
}
