import type { Target } from '../target.ts';

/** The API key of the bench's service (spec section 5). */
export const SERVICE_KEY = 'sk-bench-5d1f0c7a9b3e4862';
export const CHAT_PATH = '/v1/chat/completions';
export const MODELS_PATH = '/v1/models';
export const MODEL = 'bench/model-one';
const REQUEST_BYTES = 1024;

/** A request that is answered immediately: exactly 1 KiB of JSON (spec section 4.2). */
export const REQUEST_BODY = chatBody(REQUEST_BYTES);

/** The service answers requests up to this size with `ANSWER_BODY`, and larger ones with their size and checksum. */
export const MAX_INSTANT_BYTES = 64 * 1024;

/** The answer to `REQUEST_BODY`, about 1 KiB (spec section 2.2). */
export const ANSWER_BODY = JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 1_767_225_600,
  model: MODEL,
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'All work and no play. '.repeat(34) },
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 212, completion_tokens: 204, total_tokens: 416 },
});

/** The model list of the service (spec section 4.1). */
export const MODELS_BODY = JSON.stringify({
  object: 'list',
  data: [{ id: MODEL, object: 'model', created: 1_767_225_600, owned_by: 'bench' }],
});

/** Creates a chat request of exactly `bytes` bytes. */
export function chatBody(bytes: number): string {
  const empty = JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: '' }] });
  const content = 'Say it again. '.repeat(Math.ceil(bytes / 14)).slice(0, bytes - empty.length);
  return JSON.stringify({ model: MODEL, messages: [{ role: 'user', content }] });
}

/** Instructions for the service's stream: `events` events, one every `everyMs`. Sent as extra fields of the request. */
export interface StreamPlan {
  readonly events: number;
  readonly everyMs: number;
}

/** Creates a request for a stream, about 1 KiB (spec section 6.1). */
export function streamBody(plan: StreamPlan): string {
  const content = 'Say it slowly. '.repeat(56);
  const messages = [{ role: 'user', content }];
  return JSON.stringify({ model: MODEL, stream: true, messages, bench: plan });
}

/** The headers of every request. */
export function requestHeaders({
  key,
  headers,
}: Pick<Target, 'key' | 'headers'>): Record<string, string> {
  return { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers };
}
