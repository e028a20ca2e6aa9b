import {
  type MediaTokens,
  NO_MEDIA,
  UNKNOWN_USAGE,
  type Usage,
} from '../../shared/exchange/usage.ts';
import { type JsonObject, asObject } from '../lib/json-object.ts';

/** Token counts as a protocol reports them; `null` where one is absent or absurd. */
export type TokenCounts = Omit<Usage, 'source' | 'reportedPart'>;

export const NO_COUNTS: TokenCounts = {
  input: null,
  output: null,
  cacheRead: null,
  cacheWrite: null,
  cacheWriteHour: null,
  reasoning: null,
  media: null,
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
  const prompt = asObject(usage['prompt_tokens_details']) ?? {};
  const completion = asObject(usage['completion_tokens_details']) ?? {};
  const creation = asObject(usage['cache_creation']) ?? {};
  return includeCache({
    input: firstTokens(usage['prompt_tokens'], usage['input_tokens']),
    output: firstTokens(usage['completion_tokens'], usage['output_tokens']),
    cacheRead: firstTokens(
      prompt['cached_tokens'],
      usage['prompt_cache_hit_tokens'],
      usage['cache_read_input_tokens'],
    ),
    cacheWrite: firstTokens(
      prompt['cache_write_tokens'],
      prompt['cache_creation_tokens'],
      usage['cache_creation_input_tokens'],
    ),
    cacheWriteHour: parseTokens(creation['ephemeral_1h_input_tokens']),
    reasoning: parseTokens(completion['reasoning_tokens']),
    media: parseMedia(prompt, completion),
  });
}

/** Parses `usage` of a Responses answer. */
export function parseResponsesCounts(usage: JsonObject): TokenCounts {
  const input = asObject(usage['input_tokens_details']) ?? {};
  const output = asObject(usage['output_tokens_details']) ?? {};
  return includeCache({
    input: firstTokens(usage['input_tokens'], usage['prompt_tokens']),
    output: firstTokens(usage['output_tokens'], usage['completion_tokens']),
    cacheRead: firstTokens(input['cached_tokens'], usage['cache_read_input_tokens']),
    cacheWrite: firstTokens(input['cache_write_tokens'], input['cache_creation_tokens']),
    cacheWriteHour: null,
    reasoning: parseTokens(output['reasoning_tokens']),
    media: parseMedia(input, output),
  });
}

/** Parses `usage` of a Messages answer; its `input` does not include tokens read from and written to the cache yet. */
export function parseMessagesCounts(usage: JsonObject): TokenCounts {
  const output = asObject(usage['output_tokens_details']);
  const creation = asObject(usage['cache_creation']) ?? {};
  const parts = [creation['ephemeral_5m_input_tokens'], creation['ephemeral_1h_input_tokens']];
  return {
    input: parseTokens(usage['input_tokens']),
    output: parseTokens(usage['output_tokens']),
    cacheRead: parseTokens(usage['cache_read_input_tokens']),
    cacheWrite: parseTokens(usage['cache_creation_input_tokens']) ?? sumOf(parts),
    cacheWriteHour: parseTokens(creation['ephemeral_1h_input_tokens']),
    reasoning: parseTokens(output?.['thinking_tokens']),
    media: null,
  };
}

/** Returns the first of these that is a count. */
function firstTokens(...values: readonly unknown[]): number | null {
  for (const value of values) {
    const tokens = parseTokens(value);
    if (tokens !== null) return tokens;
  }
  return null;
}

function sumOf(values: readonly unknown[]): number | null {
  const counts = values.map(parseTokens).filter((count) => count !== null);
  return counts.length === 0 ? null : parseTokens(counts.reduce((sum, count) => sum + count, 0));
}

/** Adds the cache's part to an input that cannot include it because it is smaller: some services report it beside the input. */
function includeCache(counts: TokenCounts): TokenCounts {
  const { input, cacheRead, cacheWrite } = counts;
  const isBeside = input !== null && (cacheRead ?? 0) + (cacheWrite ?? 0) > input;
  return isBeside ? addCacheToInput(counts) : counts;
}

function parseMedia(input: JsonObject, output: JsonObject): MediaTokens | null {
  const media = {
    ...NO_MEDIA,
    inputAudio: parseTokens(input['audio_tokens']),
    outputAudio: parseTokens(output['audio_tokens']),
    inputImage: parseTokens(input['image_tokens']),
    outputImage: parseTokens(output['image_tokens']),
  };
  // Many services report zeros for what a model cannot do.
  return Object.values(media).some((count) => count !== null && count > 0) ? media : null;
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
    cacheWriteHour: latestCount(before.cacheWriteHour, after.cacheWriteHour),
    reasoning: latestCount(before.reasoning, after.reasoning),
    media: after.media ?? before.media,
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
  return { ...counts, source: 'reported', reportedPart: null };
}
