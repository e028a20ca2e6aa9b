import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { Account } from './account.ts';
import { answerExchange } from './exchange.ts';
import { DEFAULT_FIELDS, type FieldNames } from './fields.ts';
import { StoredFiles } from './files.ts';
import { answerMedia } from './media.ts';
import { type SeenRequest, SeenRequests } from './seen.ts';
import { VideoTasks } from './videos.ts';

/** A running stand-in for the whole service. Closing it ends every connection. */
export interface Sandbox extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`, the `{base_url}` of the spec. */
  readonly url: string;
  /** The one API key it accepts. */
  readonly key: string;
  /** Where uploaded files and finished videos are served: another origin than `url`. */
  readonly mediaUrl: string;
  /** The latest requests, oldest first: at most 1,000, with 32 MiB of bodies together. */
  readonly seen: readonly SeenRequest[];
  /** Calls billed so far: model calls and video submissions, also those whose answer was lost. */
  readonly charges: number;
  /** The next request that arrives after this call. Rejects when the sandbox closes first. */
  nextRequest(): Promise<SeenRequest>;
  close(): Promise<void>;
}

export interface SandboxOptions {
  /** Any free port unless given. */
  readonly port?: number;
  /** A random one unless given. */
  readonly key?: string;
  readonly fields?: FieldNames;
}

/** Starts a sandbox on 127.0.0.1. Rejects when the port is taken. */
export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const seen = new SeenRequests();
  // Requests come only after both servers listen, and by then the account is there.
  const media = await listen((request, response) => answerMedia(request, response, account), 0);
  const account = new Account({
    key: options.key ?? `sandbox-${randomBytes(18).toString('base64url')}`,
    fields: options.fields ?? DEFAULT_FIELDS,
    files: new StoredFiles(media.url),
    videos: new VideoTasks(media.url),
  });
  const answer: RequestListener = (request, response) => {
    const note = seen.note(request, response);
    void answerExchange({ request, response, note, account });
  };
  const service = await listen(answer, options.port ?? 0).catch(async (error: unknown) => {
    await media.close();
    throw error;
  });
  const close = async () => {
    seen.close();
    await Promise.all([service.close(), media.close()]);
  };
  return {
    url: service.url,
    key: account.key,
    mediaUrl: media.url,
    get seen() {
      return seen.latest;
    },
    get charges() {
      return account.charges;
    },
    nextRequest: () => seen.next(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface Listening {
  readonly url: string;
  close(): Promise<void>;
}

async function listen(answer: RequestListener, port: number): Promise<Listening> {
  const server = createServer({ keepAliveTimeout: 65_000 }, answer);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${portOf(server)}`, close: () => closeServer(server) };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address.port;
}

async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
