import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openConnections } from '../../../gateway/http/connections.ts';
import {
  createVideoServiceClient,
  type VideoServiceClient,
} from '../../../gateway/videos/service/video-service-client.ts';
import {
  type DownloadResult,
  type DownloadOptions,
  VIDEO_SERVICE_LIMITS,
  type VideoServiceLimits,
  type ServiceConnection,
} from '../../../gateway/videos/service/types.ts';

/** A video service client with a connection to one service and its own folder. */
export interface VideoServiceTestBed extends AsyncDisposable {
  readonly client: VideoServiceClient;
  readonly connection: ServiceConnection;
  readonly folder: string;
  readonly plan: DownloadOptions;
  /** A signal that is never aborted. */
  readonly signal: AbortSignal;
  /** Fetches the content of the task `t1`. */
  fetch(changes?: Partial<DownloadOptions>, signal?: AbortSignal): Promise<DownloadResult>;
}

export interface VideoServiceTestBedOptions {
  readonly url: string;
  /** The service key; `null` for none. */
  readonly key?: string | null;
  readonly limits?: Partial<VideoServiceLimits>;
  readonly taskId?: string;
  readonly ownPorts?: ReadonlySet<number>;
  /** Whether a redirect may lead to this machine; the default depends on the address. */
  readonly privateAllowed?: boolean;
}

export const VIDEO_SERVICE_KEY = 'sk-videos-0123456789abcdef';

export async function openVideoServiceTestBed(
  options: VideoServiceTestBedOptions,
): Promise<VideoServiceTestBed> {
  const { url, key = VIDEO_SERVICE_KEY, ownPorts = new Set<number>(), taskId = 't1' } = options;
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-video-service-'));
  const connections = openConnections({ origin: url, connectMs: 2000, ownPorts });
  const { privateAllowed = connections.privateAllowed } = options;
  const client = createVideoServiceClient({
    now: Date.now,
    randomBytes,
    ownPorts,
    // Ignores the free space, because the disk of a test machine may be nearly full.
    limits: { ...VIDEO_SERVICE_LIMITS, spareBytes: 0, ...options.limits },
  });
  const connection: ServiceConnection = {
    service: url,
    target: { origin: url, basePath: '', vendor: 'x' },
    connections: { ...connections, privateAllowed },
    key: {
      current: () => key,
      state: () => ({ name: 'missing', sentence: 'There is no service key.', canForget: false }),
    },
  };
  const plan: DownloadOptions = {
    folder: join(folder, 'videos'),
    name: 'A boat',
    partFile: join(folder, 'parts', 'one'),
    onProgress: () => undefined,
  };
  const { signal } = new AbortController();
  return {
    client,
    connection,
    folder,
    plan,
    signal,
    fetch: async (changes = {}, stop = signal) =>
      await client.download(connection, taskId, { ...plan, ...changes, signal: stop }),
    [Symbol.asyncDispose]: async () => {
      await connections.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The sandbox's video of a few seconds, and much larger ones: an empty box makes them longer. */
export async function film(bytes = 0): Promise<Buffer> {
  const clip = await readFile(new URL('../../../sandbox/media/clip.mp4', import.meta.url));
  const more = bytes - clip.length;
  if (more < 8) return clip;
  const box = randomBytes(more);
  box.writeUInt32BE(more, 0);
  box.write('free', 4, 'latin1');
  return Buffer.concat([clip, box]);
}
