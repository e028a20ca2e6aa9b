import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { join } from 'node:path';
import { Account } from './account.ts';
import type { BookEntry } from './books.ts';
import { answerExchange } from './http/exchange.ts';
import { DEFAULT_FIELDS, type FieldNames } from './fields.ts';
import { type AddressedFile, StoredFiles } from './files.ts';
import type { Fixture } from './fixture/fixture.ts';
import { Playback } from './fixture/playback.ts';
import { answerMedia } from './videos/media.ts';
import { type RecordedRequest, RequestRecorder } from './http/request-recorder.ts';
import { openFileList } from './file-list.ts';
import { ServedModels } from './models.ts';
import { createMemoryList, openPersistentList } from './persistent-list.ts';
import { Gates } from './scenarios/gates.ts';
import { parseOrder, type VideoOrder, VideoTasks } from './videos/tasks.ts';
import { createVideo } from './videos/video-file.ts';

export type { BookEntry } from './books.ts';
export type { VideoOrder } from './videos/tasks.ts';

/** A running sandbox, which stands in for the service. Closing it ends every connection. */
export interface Sandbox extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`, the `{base_url}` of the spec. */
  readonly url: string;
  /** The only API key that it accepts. */
  readonly key: string;
  /** Origin of uploaded files and finished videos; different from `url`. */
  readonly mediaUrl: string;
  /** The latest requests, oldest first: at most 1,000, with 32 MiB of bodies in all. */
  readonly requests: readonly RecordedRequest[];
  /** Number of billed calls so far: model calls and video orders, including those whose answer was lost. */
  readonly charges: number;
  /** The latest billed calls in the order of the charges, as the sandbox knows them: at most 10,000. */
  readonly books: readonly BookEntry[];
  /** The latest video orders, oldest first: at most 10,000. */
  readonly orders: readonly VideoOrder[];
  /** Number of files uploaded since the start. */
  readonly uploads: number;
  /** Number of steps of the fixture that no request got yet; 0 without a fixture. */
  readonly stepsLeft: number;
  /** Creates the finished video of an order, as it is served. */
  video(order: VideoOrder): Promise<Buffer>;
  /** Resolves to the next request that arrives after this call. Rejects when the sandbox closes first. */
  nextRequest(): Promise<RecordedRequest>;
  /** Opens a gate, as a request with the scenario `open-gate` does. */
  openGate(gate: number): void;
  close(): Promise<void>;
}

export interface SandboxOptions {
  /** Defaults to any free port. */
  readonly port?: number;
  /** Defaults to a random key. */
  readonly key?: string;
  readonly fields?: FieldNames;
  /** The answers to text requests. */
  readonly fixture?: Fixture;
  /** Folder in which video tasks and uploaded files are stored for the next sandbox. */
  readonly folder?: string;
  /** Called when the folder cannot be read or written. */
  readonly log?: (message: string) => void;
}

/** Starts a sandbox on 127.0.0.1. Rejects when the port is taken. */
export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const recorder = new RequestRecorder();
  // Requests arrive only after both servers listen; the account exists by then.
  const media = await listen((request, response) => answerMedia(request, response, account), 0);
  const { fixture } = options;
  const account = new Account({
    key: options.key ?? `sandbox-${randomBytes(18).toString('base64url')}`,
    fields: options.fields ?? DEFAULT_FIELDS,
    models: new ServedModels(fixture?.models ?? []),
    playback: fixture && new Playback(fixture.steps),
    ...openStores(media.url, options),
  });
  const listener: RequestListener = (request, response) => {
    void answerExchange({
      request,
      response,
      recorder: recorder.record(request, response),
      account,
    });
  };
  const service = await listen(listener, options.port ?? 0).catch(async (error: unknown) => {
    await media.close();
    throw error;
  });
  const close = async () => {
    recorder.close();
    await Promise.all([service.close(), media.close()]);
  };
  return {
    url: service.url,
    key: account.key,
    mediaUrl: media.url,
    get requests() {
      return recorder.latest;
    },
    get charges() {
      return account.books.charges;
    },
    get books() {
      return account.books.latest;
    },
    get orders() {
      return account.videos.orders;
    },
    get uploads() {
      return account.files.uploads;
    },
    get stepsLeft() {
      return account.playback?.stepsLeft ?? 0;
    },
    video: createVideo,
    nextRequest: () => recorder.next(),
    openGate: (gate) => account.gates.open(gate),
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
  const gates = new Gates();
  return {
    files: new StoredFiles(origin, files),
    videos: new VideoTasks({ origin, list: orders, gates }),
    gates,
  };
}

interface ListeningServer {
  readonly url: string;
  close(): Promise<void>;
}

async function listen(listener: RequestListener, port: number): Promise<ListeningServer> {
  const server = createServer({ keepAliveTimeout: 65_000 }, listener);
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
