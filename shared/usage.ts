import { z } from 'zod';

/** Source of token counts: the service reported them, Gatehouse estimated them, or they are unknown. */
export const UsageSource = z.enum(['reported', 'estimated', 'unknown']);
export type UsageSource = z.infer<typeof UsageSource>;

const Tokens = z.number().int().nonnegative().nullable();

/**
 * Token counts of one exchange; `null` means not reported.
 * `input` counts every input token, cache reads and writes included; `output` includes reasoning.
 */
export const Usage = z.object({
  input: Tokens,
  output: Tokens,
  cacheRead: Tokens,
  cacheWrite: Tokens,
  reasoning: Tokens,
  source: UsageSource,
});
export type Usage = z.infer<typeof Usage>;

export const UNKNOWN_USAGE: Usage = {
  input: null,
  output: null,
  cacheRead: null,
  cacheWrite: null,
  reasoning: null,
  source: 'unknown',
};
