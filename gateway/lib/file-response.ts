import { type FileHandle, open } from 'node:fs/promises';
import type { ReadStream } from 'node:fs';

/** The parts of a GET or HEAD request that decide how a file is served. */
export interface FileRequest {
  readonly method: string | undefined;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

/** A file of known content: one of another size is answered like a missing file. */
export interface ExpectedFile {
  readonly bytes: number;
  /** Entity tag in quotes. */
  readonly etag: string;
}

/** Response with a file. `body` must be read or destroyed; it is `null` when there is nothing to send. */
export interface FileResponse {
  readonly status: 200 | 206 | 304 | 416;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ReadStream | null;
}

/**
 * Creates the response for a file of this disk, with all of it or the one requested range, and evaluates conditions in their
 * order (RFC 9110 sections 13.2.2 and 14). Resolves with `null` when there is no such file.
 */
export async function createFileResponse(
  path: string,
  request: FileRequest,
  expected: ExpectedFile | null = null,
): Promise<FileResponse | null> {
  const file = await openFile(path);
  if (file === null) return null;
  let body: ReadStream | null = null;
  try {
    const { size, mtimeMs } = await file.stat();
    if (expected !== null && (size !== expected.bytes || size === 0)) return null;
    const etag = expected?.etag ?? `"${size.toString(36)}-${Math.round(mtimeMs).toString(36)}"`;
    const always = { 'accept-ranges': 'bytes', etag };
    if (request.ifNoneMatch !== undefined && includesEtag(request.ifNoneMatch, etag)) {
      return { status: 304, headers: always, body };
    }
    const range = findRange(request, { size, etag });
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
    // A stream closes the file at its end.
    if (body === null) await file.close();
  }
}

async function openFile(path: string): Promise<FileHandle | null> {
  const file = await open(path).catch((error: unknown) => {
    if (ABSENT.has(findErrorCode(error))) return null;
    throw error;
  });
  if (file === null || (await file.stat()).isFile()) return file;
  await file.close();
  return null;
}

const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'EISDIR']);

function findErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

interface ServedRange {
  readonly size: number;
  readonly etag: string;
}

function findRange({ method, range, ifRange }: FileRequest, { size, etag }: ServedRange) {
  // A file that has changed since is sent completely.
  const isOther = ifRange !== undefined && ifRange !== etag;
  return method !== 'GET' || isOther ? 'all' : parseByteRange(range, size);
}

function includesEtag(list: string, etag: string): boolean {
  const tags = list.split(',').map((tag) => tag.trim().replace(/^W\//u, ''));
  return tags.includes(etag) || tags.includes('*');
}

/** A range of bytes, `first` and `last` included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const ONE_RANGE = /^bytes=(\d*)-(\d*)$/u;

/**
 * Parses a `Range` field for `size` bytes (RFC 9110 section 14.1.2). Returns `all` without a field and for a range that we do
 * not serve, such as several ranges (section 14.2 allows that), and `none` for a range outside.
 */
export function parseByteRange(
  field: string | undefined,
  size: number,
): ByteRange | 'all' | 'none' {
  const match = ONE_RANGE.exec(field?.replaceAll(/\s/gu, '') ?? '');
  if (match === null) return 'all';
  const [, from = '', to = ''] = match;
  if (from === '' && to === '') return 'all';
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length === 0 ? 'none' : { first: size - length, last: size - 1 };
  }
  const first = Number(from);
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== '' && Number(to) < first) return 'all';
  return first >= size ? 'none' : { first, last };
}
