import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';

export interface PageOptions {
  /** The folder of the built page. */
  readonly dir: string;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** A file of the page, with its headers. */
export interface PageFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Absent where every answer differs. */
  readonly etag?: string;
}

/** The built page and its files. They are public and hold no data. */
export interface PageFiles {
  /** Returns the file at a path. A path that names no file is a route of the page itself. `unbuilt`: the page was never built. */
  get(path: string): Promise<PageFile | 'missing' | 'unbuilt'>;
}

/** Placeholder in `index.html` for the nonce of the Content-Security-Policy. */
const NONCE_MARK = '__CSP_NONCE__';
const NONCE_BYTES = 16;
const CACHE_FOREVER = 'public, max-age=31536000, immutable';
const INDEX = '/index.html';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

export function openPageFiles({ dir, randomBytes }: PageOptions): PageFiles {
  let known: Listing = { builtAt: null, files: new Map() };
  return {
    async get(path) {
      known = await refreshListing(dir, known);
      const exact = known.files.get(path);
      const file = exact ?? (isPagePath(path) ? known.files.get(INDEX) : undefined);
      if (file === undefined) return known.builtAt === null ? 'unbuilt' : 'missing';
      return file.path === INDEX ? renderIndex(file, createNonce(randomBytes)) : toPageFile(file);
    },
  };
}

interface StoredFile {
  readonly path: string;
  readonly bytes: Buffer;
  readonly etag: string;
}

/** All files are in memory: no path of a request reaches the disk, and a new build cannot remove a file while it is sent. */
interface Listing {
  /** When `index.html` was written, Unix time in milliseconds; `null` when there is none. */
  readonly builtAt: number | null;
  readonly files: ReadonlyMap<string, StoredFile>;
}

async function refreshListing(dir: string, known: Listing): Promise<Listing> {
  const index = await stat(join(dir, INDEX)).catch(() => null);
  const builtAt = index?.mtimeMs ?? null;
  if (builtAt === known.builtAt) return known;
  return builtAt === null ? { builtAt, files: new Map() } : { builtAt, files: await readAll(dir) };
}

async function readAll(dir: string): Promise<ReadonlyMap<string, StoredFile>> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && extname(entry.name) in TYPES);
  const read = files.map(async ({ parentPath, name }) => {
    const path = `/${relative(dir, join(parentPath, name)).split(sep).join('/')}`;
    const bytes = await readFile(join(parentPath, name));
    const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
    return [path, { path, bytes, etag }] as const;
  });
  return new Map((await Promise.all(read)).filter(([path]) => !path.includes('/.')));
}

/** Returns whether a path may be a route of the page: not a file, and without `.` or empty segments. */
function isPagePath(path: string): boolean {
  return !/\.|\/\/|\\|%2f|%5c|%2e|%00/iu.test(path);
}

function createNonce(randomBytes: PageOptions['randomBytes']): string {
  return Buffer.from(randomBytes(NONCE_BYTES)).toString('base64');
}

function renderIndex({ bytes }: StoredFile, nonce: string): PageFile {
  return {
    headers: {
      'content-security-policy': formatPagePolicy(nonce),
      'content-type': 'text/html; charset=utf-8',
    },
    body: Buffer.from(bytes.toString().replaceAll(NONCE_MARK, nonce)),
  };
}

/** Formats the Content-Security-Policy: the page may load its own files and connect to its own origin, and nothing else. */
export function formatPagePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "media-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function toPageFile({ path, bytes, etag }: StoredFile): PageFile {
  return {
    headers: {
      // File names in this folder contain a hash of their content.
      'cache-control': path.startsWith('/assets/') ? CACHE_FOREVER : 'no-cache',
      'content-type': TYPES[extname(path)] ?? 'application/octet-stream',
    },
    body: bytes,
    etag,
  };
}
