import { z } from 'zod';

/** Source of token counts: the service reported them, Gatehouse estimated them, or they are unknown. */
export const UsageSource = z.enum(['reported', 'estimated', 'unknown']);
export type UsageSource = z.infer<typeof UsageSource>;

const Tokens = z.number().int().nonnegative().nullable();

/** Tokens of media as the service reported them, which are part of `input` and `output`, and the number of images. */
export const MediaTokens = z.object({
  inputAudio: Tokens,
  outputAudio: Tokens,
  inputImage: Tokens,
  outputImage: Tokens,
  /** Images in the request; `null` when they were not counted, because its price does not depend on them. */
  images: Tokens.default(null),
});
export type MediaTokens = z.infer<typeof MediaTokens>;

/**
 * Token counts of one exchange; `null` means not reported.
 * `input` counts every input token, cache reads and writes included; `output` includes reasoning.
 */
export const Usage = z.object({
  input: Tokens,
  output: Tokens,
  cacheRead: Tokens,
  cacheWrite: Tokens,
  /** The part of `cacheWrite` that the service keeps for an hour. */
  cacheWriteHour: Tokens.default(null),
  reasoning: Tokens,
  /** `null` when the service reported none and no images were counted. */
  media: MediaTokens.nullable().default(null),
  source: UsageSource,
});
export type Usage = z.infer<typeof Usage>;

export const NO_MEDIA: MediaTokens = {
  inputAudio: null,
  outputAudio: null,
  inputImage: null,
  outputImage: null,
  images: null,
};

export const UNKNOWN_USAGE: Usage = {
  input: null,
  output: null,
  cacheRead: null,
  cacheWrite: null,
  cacheWriteHour: null,
  reasoning: null,
  media: null,
  source: 'unknown',
};
