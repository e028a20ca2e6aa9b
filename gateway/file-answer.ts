import { type FileHandle, open } from 'node:fs/promises';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { byteRange } from './byte-range.ts';

/**
 * Answers a GET or HEAD with a file of this disk, whole or the one range that was asked for (RFC 9110, section 14), no faster than
 * it is taken. `false`: there is no such file, and nothing was answered. Rejects when the caller leaves.
 */
export async function sendFile(
  request: IncomingMessage,
  reply: ServerResponse,
  { path, headers }: { readonly path: string; readonly headers: OutgoingHttpHeaders },
): Promise<boolean> {
  const file = await openFile(path);
  if (file === null) return false;
  try {
    const { size, mtimeMs } = await file.stat();
    const etag = `"${size.toString(36)}-${Math.round(mtimeMs).toString(36)}"`;
    const range = rangeAsked(request, { size, etag });
    const always = { ...headers, 'accept-ranges': 'bytes', etag };
    if (range === 'none') {
      reply.writeHead(416, { ...always, 'content-range': `bytes */${size}` }).end();
      return true;
    }
    const { first, last } = range === 'all' ? { first: 0, last: size - 1 } : range;
    reply.writeHead(range === 'all' ? 200 : 206, {
      ...always,
      'content-length': last - first + 1,
      ...(range !== 'all' && { 'content-range': `bytes ${first}-${last}/${size}` }),
    });
    if (request.method === 'HEAD' || size === 0) reply.end();
    else
      await pipeline(file.createReadStream({ start: first, end: last, autoClose: false }), reply);
    return true;
  } finally {
    await file.close();
  }
}

async function openFile(path: string): Promise<FileHandle | null> {
  const file = await open(path).catch((error: unknown) => {
    if (ABSENT.has(codeOf(error))) return null;
    throw error;
  });
  if (file === null || (await file.stat()).isFile()) return file;
  await file.close();
  return null;
}

const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'EISDIR']);

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

interface Served {
  readonly size: number;
  readonly etag: string;
}

function rangeAsked({ headers, method }: IncomingMessage, { size, etag }: Served) {
  const condition = headers['if-range'];
  // What was changed since is sent whole.
  const isOther = condition !== undefined && condition !== etag;
  return method !== 'GET' || isOther ? 'all' : byteRange(headers.range, size);
}
