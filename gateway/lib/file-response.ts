import { type FileHandle, open } from 'node:fs/promises';
import type { ReadStream } from 'node:fs';
import { parseByteRange } from './byte-range.ts';

/** What of a request decides how a file is answered with; `method`: GET or HEAD. */
export interface FileRequest {
  readonly method: string | undefined;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

/** `body` must be read or destroyed; `null`: there is nothing to send. */
export interface FileResponse {
  readonly status: 200 | 206 | 416;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ReadStream | null;
}

/**
 * The answer to a GET or HEAD with a file of this disk, whole or the one range that was asked for (RFC 9110, section 14).
 * `null`: there is no such file.
 */
export async function createFileResponse(
  path: string,
  request: FileRequest,
): Promise<FileResponse | null> {
  const file = await openFile(path);
  if (file === null) return null;
  let body: ReadStream | null = null;
  try {
    const { size, mtimeMs } = await file.stat();
    const etag = `"${size.toString(36)}-${Math.round(mtimeMs).toString(36)}"`;
    const range = requestedRange(request, { size, etag });
    const always = { 'accept-ranges': 'bytes', etag };
    if (range === 'none') {
      const headers = { ...always, 'content-range': `bytes */${size}` };
      return { status: 416, headers, body };
    }
    const { first, last } = range === 'all' ? { first: 0, last: size - 1 } : range;
    const headers = { ...always, 'content-length': String(last - first + 1) };
    if (request.method !== 'HEAD' && size > 0) {
      body = file.createReadStream({ start: first, end: last });
    }
    return range === 'all'
      ? { status: 200, headers, body }
      : {
          status: 206,
          headers: { ...headers, 'content-range': `bytes ${first}-${last}/${size}` },
          body,
        };
  } finally {
    // What is sent is closed by its end.
    if (body === null) await file.close();
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

interface ServedRange {
  readonly size: number;
  readonly etag: string;
}

function requestedRange({ method, range, ifRange }: FileRequest, { size, etag }: ServedRange) {
  // What was changed since is sent whole.
  const isOther = ifRange !== undefined && ifRange !== etag;
  return method !== 'GET' || isOther ? 'all' : parseByteRange(range, size);
}
