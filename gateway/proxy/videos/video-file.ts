import type { ReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { parseByteRange } from '../../lib/byte-range.ts';
import { UpstreamBody } from '../../http/upstream-body.ts';
import { completedBody, toUpstreamResponse } from './stored-response.ts';
import type { LocalVideo } from './video-orders.ts';
import type { UpstreamResponse } from '../../http/send.ts';

/** A finished video from this disk, or the part of it that is asked for; `null` when the file is not as it was kept. */
export async function respondWithVideoFile(
  request: IncomingMessage,
  video: LocalVideo,
  now: number,
): Promise<UpstreamResponse | null> {
  const file = await openWhole(video);
  if (file === null) return null;
  const date = new Date(now).toUTCString();
  const about = ['accept-ranges', 'bytes', 'date', date, 'etag', toEtag(video)];
  const part = requestedPart(request, video);
  if (part === 'unchanged' || part === 'none') {
    await file.close();
    const size = ['content-range', `bytes */${video.bytes}`];
    return part === 'none'
      ? toUpstreamResponse({ status: 416, headers: [...about, ...size], body: Buffer.alloc(0) })
      : {
          status: 304,
          statusText: 'Not Modified',
          headers: about,
          body: completedBody(Buffer.alloc(0)),
        };
  }
  const { first, last } = part === 'all' ? { first: 0, last: video.bytes - 1 } : part;
  const range = part === 'all' ? [] : ['content-range', `bytes ${first}-${last}/${video.bytes}`];
  const length = ['content-type', video.type, 'content-length', String(last - first + 1)];
  const answer = {
    ...(part === 'all' ? WHOLE : PART),
    headers: [...about, ...length, ...range],
  };
  if (request.method === 'GET') {
    return { ...answer, body: bodyOf(file.createReadStream({ start: first, end: last })) };
  }
  await file.close();
  return { ...answer, body: completedBody(Buffer.alloc(0)) };
}

const WHOLE = { status: 200, statusText: 'OK' } as const;
const PART = { status: 206, statusText: 'Partial Content' } as const;

/** `null` when it is gone, or another file now. */
async function openWhole({ path, bytes }: LocalVideo): Promise<FileHandle | null> {
  const file = await open(path, 'r').catch(() => null);
  if (file === null) return null;
  const { size } = await file.stat();
  if (size === bytes && size > 0) return file;
  await file.close();
  return null;
}

function toEtag({ sha256 }: LocalVideo): string {
  return `"${sha256}"`;
}

/** Reads the conditions in their order (RFC 9110 section 13.2.2). */
function requestedPart({ headers, method }: IncomingMessage, video: LocalVideo) {
  const etag = toEtag(video);
  const known = headers['if-none-match'];
  if (known !== undefined && isAmong(etag, known)) return 'unchanged';
  const condition = headers['if-range'];
  if (method !== 'GET' || (condition !== undefined && condition !== etag)) return 'all';
  return parseByteRange(headers.range, video.bytes);
}

function isAmong(etag: string, list: string): boolean {
  const tags = list.split(',').map((tag) => tag.trim().replace(/^W\//u, ''));
  return tags.includes(etag) || tags.includes('*');
}

function bodyOf(stream: ReadStream): UpstreamBody {
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
