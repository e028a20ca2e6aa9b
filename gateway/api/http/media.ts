import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import {
  createFileResponse,
  type FileResponse,
  type FileRequest,
} from '../../lib/file-response.ts';
import type { DiskFile } from '../../lib/disk.ts';
import { sendErrorBody } from './http-responses.ts';

/**
 * Issues addresses for files of this disk: each cannot be guessed, and only one session may request it. Elements that show a
 * file send the session's cookie but cannot send its token; the address replaces the token.
 */
export interface MediaRegistry {
  /** Returns the address of a file for a session: the same every time, until the session or this run ends. */
  issueUrl(session: string, file: DiskFile): string;
  /**
   * Returns the response for a request of such an address; `save` in the query asks for a download. `null`: there is nothing
   * for this session.
   */
  find(request: MediaRequest, session: string | null): Promise<FileResponse | null>;
  /** Invalidates the addresses of a session. */
  revoke(session: string): void;
}

export interface MediaRequest extends FileRequest {
  readonly path: string;
  readonly query: string | undefined;
}

interface Ticket {
  readonly session: string;
  readonly file: DiskFile;
  readonly address: string;
}

const PREFIX = '/media/';
const TICKET_BYTES = 32;
/** More than any window shows. The oldest are dropped, and a page that still needs one asks again. */
const MAX_TICKETS = 20_000;

export function isMediaPath(path: string): boolean {
  return path.startsWith(PREFIX);
}

export function createMediaRegistry(randomBytes: (size: number) => Uint8Array): MediaRegistry {
  const tickets = new Map<string, Ticket>();
  const issued = new Map<string, Ticket>();
  const drop = (ticket: Ticket) => {
    tickets.delete(ticket.address);
    issued.delete(ticketKey(ticket));
  };
  return {
    issueUrl(session, file) {
      const known = issued.get(ticketKey({ session, file }));
      if (known !== undefined) return known.address;
      const address = PREFIX + Buffer.from(randomBytes(TICKET_BYTES)).toString('base64url');
      const ticket = { session, file, address };
      tickets.set(address, ticket);
      issued.set(ticketKey(ticket), ticket);
      const [oldest] = tickets.values();
      if (tickets.size > MAX_TICKETS && oldest !== undefined) drop(oldest);
      return address;
    },
    async find(request, session) {
      const ticket = tickets.get(request.path);
      // Another session's ticket gets the answer of a missing one, so that its existence is not revealed.
      if (ticket === undefined || ticket.session !== session) return null;
      const { file } = ticket;
      const answer = await createFileResponse(file.path, request);
      const headers = toHeaders(file, request.query === 'save');
      return answer && { ...answer, headers: { ...headers, ...answer.headers } };
    },
    revoke(session) {
      for (const ticket of tickets.values()) if (ticket.session === session) drop(ticket);
    },
  };
}

function ticketKey({ session, file }: Pick<Ticket, 'session' | 'file'>): string {
  return JSON.stringify([session, file.path, file.name, file.type]);
}

/** Responds to a GET or HEAD of such an address, no faster than the client reads. Rejects when the client disconnects. */
export async function sendMedia(
  request: IncomingMessage,
  response: ServerResponse,
  { media, session }: { readonly media: MediaRegistry; readonly session: string | null },
): Promise<void> {
  const { method, headers, url = '' } = request;
  const [path = '', query] = url.split('?');
  const { range } = headers;
  const ifRange = headers['if-range']?.toString();
  const answer = await media.find({ method, range, ifRange, path, query }, session);
  if (answer === null) return sendErrorBody(response, 404, 'Nothing was found at this address.');
  response.writeHead(answer.status, answer.headers);
  if (answer.body === null) response.end();
  else await pipeline(answer.body, response);
}

/** Image types that browsers show and that cannot contain scripts. */
const IMAGES = new Set([
  'image/avif',
  'image/bmp',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
]);

function toHeaders({ name, type }: DiskFile, save: boolean): Readonly<Record<string, string>> {
  const shown = IMAGES.has(type) || /^video\/[\w.+-]{1,64}$/u.test(type);
  return {
    'content-type': shown ? type : 'application/octet-stream',
    'content-disposition': formatDisposition(name, save || !shown),
    // Opened in its own tab, the file must not act as a page of this window.
    'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
  };
}

/** Includes a plain ASCII name for old clients, and the full name in the form of RFC 8187. */
function formatDisposition(name: string, save: boolean): string {
  const plain = name.replaceAll(/[^\w .()-]/gu, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/gu,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${save ? 'attachment' : 'inline'}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
