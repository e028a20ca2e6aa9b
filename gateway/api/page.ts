import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { sayProblem } from './answers.ts';

export interface PageOptions {
  /** The folder of the built page. */
  readonly dir: string;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** The built page and its files. They are public and hold no data. */
export interface Page {
  /** Answers a GET or HEAD of a path. What names no file is one of the page's own addresses. */
  answer(request: IncomingMessage, reply: ServerResponse, path: string): Promise<void>;
}

/** In `index.html`, stands for the nonce of the Content-Security-Policy. */
const NONCE_MARK = '__CSP_NONCE__';
const NONCE_BYTES = 16;
const FOR_EVER = 'public, max-age=31536000, immutable';

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

export function openPage({ dir, randomBytes }: PageOptions): Page {
  let files: Listing = { builtAt: null, files: new Map() };
  return {
    async answer(request, reply, path) {
      files = await listAgain(dir, files);
      const asked = files.files.get(path);
      const file = asked ?? (isAddress(path) ? files.files.get(INDEX) : undefined);
      if (file === undefined) return sayMissing(reply, files);
      if (file.path === INDEX) return sendIndex(reply, file, nonceFrom(randomBytes));
      return sendFile(request, reply, file);
    },
  };
}

const INDEX = '/index.html';

interface PageFile {
  readonly path: string;
  readonly bytes: Buffer;
  readonly etag: string;
}

/** All files in memory: no path of a request ever reaches the disk, and a new build cannot pull a file away while it is sent. */
interface Listing {
  /** When `index.html` was written, Unix time in milliseconds; `null` when there is none. */
  readonly builtAt: number | null;
  readonly files: ReadonlyMap<string, PageFile>;
}

async function listAgain(dir: string, known: Listing): Promise<Listing> {
  const index = await stat(join(dir, INDEX)).catch(() => null);
  const builtAt = index?.mtimeMs ?? null;
  if (builtAt === known.builtAt) return known;
  return builtAt === null ? { builtAt, files: new Map() } : { builtAt, files: await readAll(dir) };
}

async function readAll(dir: string): Promise<ReadonlyMap<string, PageFile>> {
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

/** Whether a path may be one of the page's own addresses: no file, and nothing that plays with segments. */
function isAddress(path: string): boolean {
  return !/\.|\/\/|\\|%2f|%5c|%2e|%00/iu.test(path);
}

function nonceFrom(randomBytes: PageOptions['randomBytes']): string {
  return Buffer.from(randomBytes(NONCE_BYTES)).toString('base64');
}

function sendIndex(reply: ServerResponse, { bytes }: PageFile, nonce: string): void {
  reply.setHeader('content-security-policy', policyWith(nonce));
  reply.setHeader('content-type', 'text/html; charset=utf-8');
  reply.end(bytes.toString().replaceAll(NONCE_MARK, nonce));
}

/** The page may load its own files and talk to its own port, and nothing else. */
function policyWith(nonce: string): string {
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

function sendFile(request: IncomingMessage, reply: ServerResponse, file: PageFile): void {
  // Files in there have a hash of their content in their name.
  reply.setHeader('cache-control', file.path.startsWith('/assets/') ? FOR_EVER : 'no-cache');
  reply.setHeader('etag', file.etag);
  if (request.headers['if-none-match'] === file.etag) {
    reply.writeHead(304).end();
    return;
  }
  reply.setHeader('content-type', TYPES[extname(file.path)] ?? 'application/octet-stream');
  reply.setHeader('content-length', file.bytes.length);
  reply.end(file.bytes);
}

function sayMissing(reply: ServerResponse, { builtAt }: Listing): void {
  if (builtAt !== null) return sayProblem(reply, 404, 'There is nothing at this address.');
  reply.writeHead(503, { 'content-type': 'text/html; charset=utf-8' });
  reply.end(NOT_BUILT);
}

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Gatehouse</title>
<h1>The window is not built yet</h1>
<p>Gatehouse is running, and your clients can use it. Only its window is missing.</p>
<p>Build it in the folder of Gatehouse, then load this page again:</p>
<pre>npm run build:ui</pre>
</html>
`;
