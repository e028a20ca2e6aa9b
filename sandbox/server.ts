import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { join } from 'node:path';
import { Account } from './account.ts';
import { answerExchange } from './http/exchange.ts';
import { DEFAULT_FIELDS, type FieldNames } from './fields.ts';
import { type AddressedFile, StoredFiles } from './files.ts';
import { answerMedia } from './videos/media.ts';
import { type RecordedRequest, RequestRecorder } from './http/request-recorder.ts';
import { openFileList } from './file-list.ts';
import { createMemoryList, openPersistentList } from './persistent-list.ts';
import { parseOrder, type VideoOrder, VideoTasks } from './videos/tasks.ts';
import { createVideo } from './videos/video-file.ts';

export type { VideoOrder } from './videos/tasks.ts';

/** A running stand-in for the whole service. Closing it ends every connection. */
export interface Sandbox extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`, the `{base_url}` of the spec. */
  readonly url: string;
  /** The one API key it accepts. */
  readonly key: string;
  /** Where uploaded files and finished videos are served: another origin than `url`. */
  readonly mediaUrl: string;
  /** The latest requests, oldest first: at most 1,000, with 32 MiB of bodies together. */
  readonly requests: readonly RecordedRequest[];
  /** Calls billed so far: model calls and video submissions, also those whose answer was lost. */
  readonly charges: number;
  /** The video orders it has taken and still knows, oldest first: at most 10,000. */
  readonly orders: readonly VideoOrder[];
  /** Files that were uploaded since the start. */
  readonly uploads: number;
  /** The finished video of an order, as it is served. */
  video(order: VideoOrder): Promise<Buffer>;
  /** The next request that arrives after this call. Rejects when the sandbox closes first. */
  nextRequest(): Promise<RecordedRequest>;
  close(): Promise<void>;
}

export interface SandboxOptions {
  /** Any free port unless given. */
  readonly port?: number;
  /** A random one unless given. */
  readonly key?: string;
  readonly fields?: FieldNames;
  /** Where it keeps video tasks and uploaded files, so that the next sandbox with this folder knows them. */
  readonly folder?: string;
  /** Told when the folder cannot be read or written. */
  readonly log?: (message: string) => void;
}

/** Starts a sandbox on 127.0.0.1. Rejects when the port is taken. */
export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const seen = new RequestRecorder();
  // Requests come only after both servers listen, and by then the account is there.
  const media = await listen((request, response) => answerMedia(request, response, account), 0);
  const account = new Account({
    key: options.key ?? `sandbox-${randomBytes(18).toString('base64url')}`,
    fields: options.fields ?? DEFAULT_FIELDS,
    ...openStores(media.url, options),
  });
  const answer: RequestListener = (request, response) => {
    const recorder = seen.record(request, response);
    void answerExchange({ request, response, recorder, account });
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
    get requests() {
      return seen.latest;
    },
    get charges() {
      return account.charges;
    },
    get orders() {
      return account.videos.orders;
    },
    get uploads() {
      return account.files.uploads;
    },
    video: createVideo,
    nextRequest: () => seen.next(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function openStores(origin: string, { folder, log = () => {} }: SandboxOptions) {
  const files =
    folder === undefined ? createMemoryList<AddressedFile>() : openFileList(folder, log);
  const orders =
    folder === undefined
      ? createMemoryList<VideoOrder>()
      : openPersistentList({ file: join(folder, 'videos.json'), parse: parseOrder, log });
  return { files: new StoredFiles(origin, files), videos: new VideoTasks(origin, orders) };
}

interface Listening {
  readonly url: string;
  close(): Promise<void>;
}

async function listen(answer: RequestListener, port: number): Promise<Listening> {
  const server = createServer({ keepAliveTimeout: 65_000 }, answer);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${listeningPort(server)}`, close: () => closeServer(server) };
}

function listeningPort(server: Server): number {
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
