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
  /** `estimated`: at least one of `input` and `output` is. */
  source: UsageSource,
  /**
   * The one of `input` and `output` that the service reported where the other is estimated; `none` when both are; `null` when neither
   * is, and for exchanges of versions that did not record it.
   */
  reportedPart: z.enum(['input', 'output', 'none']).nullable().default(null),
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
  reportedPart: null,
};

/** Whether Gatehouse certainly estimated this number. */
export function isEstimated({ source, reportedPart }: Usage, part: UsagePart['of']): boolean {
  return source === 'estimated' && reportedPart !== null && part !== reportedPart;
}

/** Tokens that are part of the input or the output of an exchange, with words that follow their number. */
export interface UsagePart {
  readonly of: 'input' | 'output';
  readonly words: string;
  readonly tokens: number;
}

/** Lists the parts of the input and the output that are known. */
export function listUsageParts(usage: Usage): readonly UsagePart[] {
  const { cacheRead, cacheWrite, cacheWriteHour, reasoning, media } = usage;
  const parts = [
    ['input', 'read from cache', cacheRead],
    ['input', 'written to cache', cacheWrite],
    ['input', 'of these for an hour', cacheWriteHour],
    ['input', 'of audio', media?.inputAudio],
    ['input', 'of images', media?.inputImage],
    ['output', 'of reasoning', reasoning],
    ['output', 'of audio', media?.outputAudio],
    ['output', 'of images', media?.outputImage],
  ] as const;
  return parts.flatMap(([of, words, tokens]) => (tokens == null ? [] : [{ of, words, tokens }]));
}
