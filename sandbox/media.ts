import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Account } from './account.ts';
import { clipOf } from './clip.ts';
import { errorBody, Refusal } from './errors.ts';

const CREDENTIALS = ['authorization', 'x-api-key', 'api-key'];

/**
 * Answers a request on the media origin: uploaded files and finished videos, with Range (RFC 9110, section 14).
 * Refuses with 400 any request that carries a credential: a key that gets here has leaked to another origin.
 */
export async function answerMedia(
  request: IncomingMessage,
  response: ServerResponse,
  account: Account,
): Promise<void> {
  request.resume();
  try {
    const found = await find(request, account);
    send(request, response, found);
  } catch (error) {
    const refusal =
      error instanceof Refusal
        ? error
        : new Refusal({ status: 500, code: 'sandbox_error', message: String(error) });
    response.writeHead(refusal.status, { ...refusal.headers, 'content-type': 'application/json' });
    response.end(JSON.stringify(errorBody(refusal, 'plain')));
  }
}

interface Medium {
  readonly type: string;
  readonly bytes: Buffer;
}

async function find(request: IncomingMessage, account: Account): Promise<Medium> {
  const leaked = CREDENTIALS.find((name) => request.headers[name] !== undefined);
  if (leaked !== undefined) {
    const message = `The media origin takes no credential, but "${leaked}" was sent.`;
    throw new Refusal({ status: 400, code: 'credential_leaked', message });
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    const headers = { allow: 'GET, HEAD' };
    const message = 'The media origin takes GET and HEAD.';
    throw new Refusal({ status: 405, code: 'method_not_allowed', message, headers });
  }
  const path = request.url ?? '';
  const file = account.files.find(path);
  if (file?.bytes) return { type: file.type, bytes: file.bytes };
  const seconds = account.videos.secondsAt(path);
  if (seconds !== undefined) return { type: 'video/mp4', bytes: await clipOf(seconds) };
  const message = file ? 'The file is too large or too old to be kept.' : 'There is no such file.';
  throw new Refusal({ status: file ? 410 : 404, code: 'not_found', message });
}

function send(request: IncomingMessage, response: ServerResponse, { type, bytes }: Medium): void {
  const size = bytes.length;
  response.setHeader('accept-ranges', 'bytes');
  const range = readRange(request.headers.range, size);
  if (range === 'unsatisfiable') {
    const headers = { 'content-range': `bytes */${size}` };
    const message = 'The range lies outside the file.';
    throw new Refusal({ status: 416, code: 'range_not_satisfiable', message, headers });
  }
  const { from, to } = range ?? { from: 0, to: size - 1 };
  if (range) response.setHeader('content-range', `bytes ${from}-${to}/${size}`);
  response.writeHead(range ? 206 : 200, { 'content-type': type, 'content-length': to - from + 1 });
  response.end(bytes.subarray(from, to + 1));
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** One byte range; anything else is ignored, as RFC 9110 section 14.2 allows. */
function readRange(header: string | undefined, size: number): Range | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const from = Math.max(size - Number(last), 0);
    return from < size ? { from, to: size - 1 } : 'unsatisfiable';
  }
  const from = Number(first);
  const to = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < from) return undefined;
  return from < size ? { from, to } : 'unsatisfiable';
}
