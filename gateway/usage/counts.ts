import { UNKNOWN_USAGE, type Usage } from '../../shared/usage.ts';
import { type Fields, fieldsOf } from './fields.ts';

/** Token counts just as a protocol gives them; `null` where it gave none, or nonsense. */
export type Counts = Omit<Usage, 'source'>;

export const NO_COUNTS: Counts = {
  input: null,
  output: null,
  cacheRead: null,
  cacheWrite: null,
  reasoning: null,
};

/** No exchange has more tokens; a service that says so talks nonsense, and its sums would overflow. */
const MOST_TOKENS = 1e9;

function tokens(value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) return null;
  if (value < 0 || value > MOST_TOKENS) return null;
  return value === 0 ? 0 : value;
}

/** `usage` of a chat answer (spec section 2.2) with the details that services add to it. */
export function chatCounts(usage: Fields): Counts {
  const prompt = fieldsOf(usage['prompt_tokens_details']);
  const completion = fieldsOf(usage['completion_tokens_details']);
  return {
    input: tokens(usage['prompt_tokens']),
    output: tokens(usage['completion_tokens']),
    cacheRead: tokens(prompt?.['cached_tokens']),
    cacheWrite: null,
    reasoning: tokens(completion?.['reasoning_tokens']),
  };
}

/** `usage` of a Responses answer. */
export function responsesCounts(usage: Fields): Counts {
  const input = fieldsOf(usage['input_tokens_details']);
  const output = fieldsOf(usage['output_tokens_details']);
  return {
    input: tokens(usage['input_tokens']),
    output: tokens(usage['output_tokens']),
    cacheRead: tokens(input?.['cached_tokens']),
    cacheWrite: null,
    reasoning: tokens(output?.['reasoning_tokens']),
  };
}

/** `usage` of a Messages answer; its `input` still lacks what was read from and written to the cache. */
export function messagesCounts(usage: Fields): Counts {
  const output = fieldsOf(usage['output_tokens_details']);
  return {
    input: tokens(usage['input_tokens']),
    output: tokens(usage['output_tokens']),
    cacheRead: tokens(usage['cache_read_input_tokens']),
    cacheWrite: tokens(usage['cache_creation_input_tokens']),
    reasoning: tokens(output?.['thinking_tokens']),
  };
}

/** Counts in a stream are totals so far, so the later one wins; but some services end with zeros for what they said before. */
function later(before: number | null, after: number | null): number | null {
  return after === null || (after === 0 && before !== null) ? before : after;
}

/** The counts after both were reported, one after the other. */
export function mergeCounts(before: Counts, after: Counts): Counts {
  return {
    input: later(before.input, after.input),
    output: later(before.output, after.output),
    cacheRead: later(before.cacheRead, after.cacheRead),
    cacheWrite: later(before.cacheWrite, after.cacheWrite),
    reasoning: later(before.reasoning, after.reasoning),
  };
}

/** The same counts with the cache's part of the input included, as {@link Usage} wants it. */
export function withCacheInInput(counts: Counts): Counts {
  if (counts.input === null) return counts;
  const input = tokens(counts.input + (counts.cacheRead ?? 0) + (counts.cacheWrite ?? 0));
  return { ...counts, input };
}

/** Reported usage, or unknown when neither input nor output was reported. */
export function usageOf(counts: Counts): Usage {
  if (counts.input === null && counts.output === null) return UNKNOWN_USAGE;
  return { ...counts, source: 'reported' };
}
