import type { ReadStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { STATUS_CODES } from 'node:http';
import { createFileResponse } from '../../lib/file-response.ts';
import { UpstreamBody } from '../../http/upstream-body.ts';
import type { UpstreamResponse } from '../../http/send.ts';
import { completedBody } from './stored-response.ts';
import type { LocalVideo } from './video-orders.ts';

/** Serves a finished video from this disk, whole or one range of it; `null` when the file is missing, unreadable or has another size. */
export async function respondWithVideoFile(
  { method, headers }: IncomingMessage,
  { path, type, bytes, sha256 }: LocalVideo,
  now: number,
): Promise<UpstreamResponse | null> {
  const request = {
    method,
    range: headers.range,
    ifRange: headers['if-range']?.toString(),
    ifNoneMatch: headers['if-none-match'],
  };
  const expected = { bytes, etag: `"${sha256}"` };
  // The service has the video, too.
  const file = await createFileResponse(path, request, expected).catch(() => null);
  if (file === null) return null;
  const { status, body } = file;
  const hasContent = status === 200 || status === 206;
  const length = status === 416 ? { 'content-length': '0' } : {};
  const all = {
    ...file.headers,
    date: new Date(now).toUTCString(),
    ...(hasContent ? { 'content-type': type } : length),
  };
  return {
    status,
    statusText: STATUS_CODES[status] ?? '',
    headers: Object.entries(all).flat(),
    body: body === null ? completedBody(Buffer.alloc(0)) : toUpstreamBody(body),
  };
}

function toUpstreamBody(stream: ReadStream): UpstreamBody {
  const body = new UpstreamBody({
    pause: () => stream.pause(),
    resume: () => stream.resume(),
    abort: () => stream.destroy(),
  });
  stream.on('data', (chunk) => body.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk));
  stream.on('end', () => body.end());
  stream.on('error', (error) => body.fail(error));
  return body;
}
