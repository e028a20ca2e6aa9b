import type { AdmissionInput } from './effect.ts';
import { RefusalError } from '../http/errors.ts';
import { isObject } from '../json.ts';

const MAX_TOKENS = 1000;

/** Counts for each scenario token how often `rate-limit` has refused; keeps the latest 1,000 tokens. */
export class Refusals {
  readonly #counts = new Map<string, number>();

  count(token: string): number {
    return this.#counts.get(token) ?? 0;
  }

  add(token: string): void {
    const count = this.count(token) + 1;
    this.#counts.delete(token);
    this.#counts.set(token, count);
    if (this.#counts.size <= MAX_TOKENS) return;
    const [oldest] = this.#counts.keys();
    if (oldest !== undefined) this.#counts.delete(oldest);
  }

  clear(token: string): void {
    this.#counts.delete(token);
  }
}

export function tooManyRequests(): RefusalError {
  return new RefusalError({
    status: 429,
    code: 'rate_limit_exceeded',
    message: 'Too many requests. Wait and try again.',
    headers: { 'retry-after': '1' },
  });
}

export function serverFailure(): RefusalError {
  return new RefusalError({
    status: 500,
    code: 'server_error',
    message: 'The server had an error.',
  });
}

export function forbidden(): RefusalError {
  const message = 'The key has no permission for this model.';
  return new RefusalError({ status: 403, code: 'permission_denied', message });
}

export function echoKey({ credential }: AdmissionInput): RefusalError {
  const message = `Incorrect API key provided: ${credential}.`;
  return new RefusalError({ status: 401, code: 'invalid_api_key', message });
}

export function rejectStreamOptions({ body }: AdmissionInput): RefusalError | undefined {
  return body['stream_options'] === undefined ? undefined : unsupported('stream_options');
}

export function rejectCacheQuestion({ body }: AdmissionInput): RefusalError | undefined {
  if (body['diagnostics'] !== undefined) return unsupported('diagnostics');
  const options = body['prompt_cache_options'];
  const asks = isObject(options) && options['comparison_response_id'] !== undefined;
  return asks ? unsupported('prompt_cache_options.comparison_response_id') : undefined;
}

/** Refuses a temperature or a token limit, but not the limit that the protocol requires. */
export function rejectTuning(
  input: AdmissionInput,
  how: 'named' | 'unnamed',
): RefusalError | undefined {
  const limits = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'];
  const field = ['temperature', ...(input.limitRequired ? [] : limits)].find(
    (name) => input.body[name] !== undefined,
  );
  if (field === undefined) return undefined;
  if (how === 'named') return unsupported(field);
  const message = 'The request is not valid for this model.';
  return new RefusalError({ status: 400, code: 'invalid_request', message });
}

function unsupported(field: string): RefusalError {
  const message = `Unsupported parameter: "${field}" is not supported by this model.`;
  return new RefusalError({ status: 400, code: 'unsupported_parameter', message });
}
