import type { IncomingMessage } from 'node:http';
import type { RequestRejection } from './http-responses.ts';
import { parseJson } from '../../lib/parse-json.ts';

/** Maximum size of a call's body: the largest is a form. */
const MAX_BYTES = 1024 * 1024;

/** A parsed JSON body, or why it is rejected. `value` is `undefined` when there was none. */
export type JsonBodyResult = { readonly value: unknown } | RequestRejection;

/**
 * Reads a JSON body of at most 1 MiB. Accepts only `application/json`, which a form of another page cannot send. Rejects when
 * the sender disconnects.
 */
export async function readJsonBody(request: IncomingMessage): Promise<JsonBodyResult> {
  const type = request.headers['content-type'];
  if (type !== undefined && !/^application\/json *(?:;|$)/iu.test(type)) return WRONG_TYPE;
  if (Number(request.headers['content-length'] ?? 0) > MAX_BYTES) return TOO_LARGE;
  const chunks: Buffer[] = [];
  let size = 0;
  // Without an encoding set, a request yields buffers; its type says `any`.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) return TOO_LARGE;
    chunks.push(chunk);
  }
  if (size === 0) return { value: undefined };
  return type === undefined ? WRONG_TYPE : parseBody(Buffer.concat(chunks).toString());
}

const WRONG_TYPE: RequestRejection = {
  status: 415,
  sentence: 'The body must be application/json.',
};
const TOO_LARGE: RequestRejection = { status: 413, sentence: 'The body is larger than 1 MiB.' };

function parseBody(text: string): JsonBodyResult {
  try {
    return { value: parseJson(text) };
  } catch {
    // The message does not repeat the body, because it may hold a key.
    return { status: 400, sentence: 'The body is not valid JSON.' };
  }
}
