/** Estimate for an image or a document: the tokens of the largest image that the protocol does not scale down. */
const ATTACHMENT_TOKENS = 1_600;
/** Roles, brackets and names around a text. */
const TOKENS_PER_OBJECT = 3;
/** Longer texts are estimated from this many characters. */
const SAMPLE_LENGTH = 64 * 1024;
const ATTACHMENT_TYPES: ReadonlySet<unknown> = new Set([
  'image',
  'document',
  'input_image',
  'file',
]);

/**
 * Estimates how many tokens a parsed request of the Messages protocol has: about four Latin letters to a token, one of other scripts,
 * a fixed number for each image. Real tokenizers differ by a quarter either way, more for code and rare scripts. The time is bounded by
 * the number of values, for a long text is sampled and the bytes of images are not read.
 */
export function estimateTokens(request: unknown): number {
  let tokens = 0;
  const waiting: unknown[] = [request];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string') tokens += textTokens(value);
    else if (typeof value === 'number' || typeof value === 'boolean') tokens += 1;
    else if (typeof value === 'object' && value !== null) {
      if ('type' in value && ATTACHMENT_TYPES.has(value.type)) tokens += ATTACHMENT_TOKENS;
      else {
        tokens += Array.isArray(value) ? 0 : TOKENS_PER_OBJECT;
        for (const inner of Object.values(value)) waiting.push(inner);
      }
    }
  }
  return Math.ceil(tokens);
}

function textTokens(text: string): number {
  const sampled = Math.min(text.length, SAMPLE_LENGTH);
  let tokens = 0;
  for (let at = 0; at < sampled; at += 1) tokens += text.charCodeAt(at) < 0x250 ? 0.25 : 0.8;
  return sampled === 0 ? 0 : (tokens * text.length) / sampled;
}
