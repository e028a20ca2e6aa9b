import { type FileHandle, open } from 'node:fs/promises';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';

/** Some bytes of a file, the first and the last one included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

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
    if (range === 'beyond') {
      reply.writeHead(416, { ...always, 'content-range': `bytes */${size}` }).end();
      return true;
    }
    const { start, end } = range ?? { start: 0, end: size - 1 };
    reply.writeHead(range === null ? 200 : 206, {
      ...always,
      'content-length': end - start + 1,
      ...(range !== null && { 'content-range': `bytes ${start}-${end}/${size}` }),
    });
    if (request.method === 'HEAD' || size === 0) reply.end();
    else await pipeline(file.createReadStream({ start, end, autoClose: false }), reply);
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

function rangeAsked({ headers }: IncomingMessage, { size, etag }: Served) {
  const condition = headers['if-range'];
  // What was changed since is sent whole.
  if (condition !== undefined && condition !== etag) return null;
  return readRange(headers.range, size);
}

/** The range that a `Range` header asks for. `null`: the whole file, also for what cannot be read and for several; `beyond`: none of it is there. */
export function readRange(header: string | undefined, size: number): ByteRange | 'beyond' | null {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/u.exec(header ?? '') ?? [];
  if (from === '' && to === '') return null;
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length === 0 ? 'beyond' : { start: size - length, end: size - 1 };
  }
  const start = Number(from);
  if (to !== '' && Number(to) < start) return null;
  if (start >= size) return 'beyond';
  return { start, end: to === '' ? size - 1 : Math.min(Number(to), size - 1) };
}
