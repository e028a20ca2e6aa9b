import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { sendFile } from '../file-answer.ts';
import type { DiskFile } from '../videos/videos.ts';
import { sayProblem } from './answers.ts';

/**
 * Files of this disk for pages: each under an address that nobody can guess and that only one session may ask for. The elements that
 * show a file send the session's cookie, but cannot send its token; the address stands for that half.
 */
export interface Media {
  /** The address of a file for a session: the same every time, until the session or this run ends. */
  addressOf(session: string, file: DiskFile): string;
  /** Answers a GET or HEAD of such an address; `?save` asks for a file to keep. `session`: whose cookie came along. */
  answer(request: IncomingMessage, reply: ServerResponse, session: string | null): Promise<void>;
  /** Lets the addresses of a session lead nowhere. */
  forget(session: string): void;
}

interface Ticket {
  readonly session: string;
  readonly file: DiskFile;
  readonly address: string;
}

const PREFIX = '/media/';
const TICKET_BYTES = 32;
/** More than any window shows; the oldest go first, and whoever misses one asks again. */
const MOST_TICKETS = 20_000;

export function isMedia(path: string): boolean {
  return path.startsWith(PREFIX);
}

export function openMedia(randomBytes: (size: number) => Uint8Array): Media {
  const tickets = new Map<string, Ticket>();
  const issued = new Map<string, Ticket>();
  const drop = (ticket: Ticket) => {
    tickets.delete(ticket.address);
    issued.delete(nameOf(ticket));
  };
  return {
    addressOf(session, file) {
      const known = issued.get(nameOf({ session, file }));
      if (known !== undefined) return known.address;
      const address = PREFIX + Buffer.from(randomBytes(TICKET_BYTES)).toString('base64url');
      const ticket = { session, file, address };
      tickets.set(address, ticket);
      issued.set(nameOf(ticket), ticket);
      const [oldest] = tickets.values();
      if (tickets.size > MOST_TICKETS && oldest !== undefined) drop(oldest);
      return address;
    },
    async answer(request, reply, session) {
      const [path = '', query] = (request.url ?? '').split('?');
      const ticket = tickets.get(path);
      // Whose ticket it is or was is nobody else's business.
      if (ticket === undefined || ticket.session !== session) return sayNothingHere(reply);
      const headers = headersOf(ticket.file, query === 'save');
      const isSent = await sendFile(request, reply, { path: ticket.file.path, headers });
      if (!isSent) sayNothingHere(reply);
    },
    forget(session) {
      for (const ticket of tickets.values()) if (ticket.session === session) drop(ticket);
    },
  };
}

function nameOf({ session, file }: Pick<Ticket, 'session' | 'file'>): string {
  return JSON.stringify([session, file.path, file.name, file.type]);
}

function sayNothingHere(reply: ServerResponse): void {
  sayProblem(reply, 404, 'There is nothing at this address.');
}

/** Images that browsers show and that cannot hold script. */
const IMAGES = new Set([
  'image/avif',
  'image/bmp',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
]);

function headersOf({ name, type }: DiskFile, save: boolean): OutgoingHttpHeaders {
  const shown = IMAGES.has(type) || /^video\/[\w.+-]{1,64}$/u.test(type);
  return {
    'content-type': shown ? type : 'application/octet-stream',
    'content-disposition': dispositionOf(name, save || !shown),
    // Opened in a tab of its own it is no page of this window.
    'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
  };
}

/** With a name for old readers, and the whole one in the form of RFC 8187. */
function dispositionOf(name: string, save: boolean): string {
  const plain = name.replaceAll(/[^\w .()-]/gu, '_');
  const whole = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/gu,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${save ? 'attachment' : 'inline'}; filename="${plain}"; filename*=UTF-8''${whole}`;
}
