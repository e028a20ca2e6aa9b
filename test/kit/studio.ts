import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openConnections } from '../../gateway/http/connections.ts';
import {
  createVideoServiceClient,
  type VideoServiceClient,
} from '../../gateway/videos/service/video-service-client.ts';
import {
  type DownloadResult,
  type DownloadOptions,
  VIDEO_SERVICE_LIMITS,
  type VideoServiceLimits,
  type ServiceConnection,
} from '../../gateway/videos/service/types.ts';

/** A studio with the way to one service and a folder of its own. */
export interface StudioBench extends AsyncDisposable {
  readonly studio: VideoServiceClient;
  readonly wire: ServiceConnection;
  readonly folder: string;
  readonly plan: DownloadOptions;
  /** Never aborted. */
  readonly signal: AbortSignal;
  /** Fetches the content of the task `t1`. */
  fetch(changes?: Partial<DownloadOptions>, signal?: AbortSignal): Promise<DownloadResult>;
}

export interface StudioBenchOptions {
  readonly url: string;
  /** The service key; `null` for none. */
  readonly key?: string | null;
  readonly limits?: Partial<VideoServiceLimits>;
  readonly taskId?: string;
  readonly ownPorts?: ReadonlySet<number>;
  /** Whether a redirect may lead to this machine; what the address says unless given. */
  readonly privateAllowed?: boolean;
}

export const STUDIO_KEY = 'sk-studio-0123456789abcdef';

export async function openStudioBench(options: StudioBenchOptions): Promise<StudioBench> {
  const { url, key = STUDIO_KEY, ownPorts = new Set<number>(), taskId = 't1' } = options;
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-studio-'));
  const connections = openConnections({ origin: url, connectMs: 2000, ownPorts });
  const { privateAllowed = connections.privateAllowed } = options;
  const studio = createVideoServiceClient({
    now: Date.now,
    randomBytes,
    ownPorts,
    // The disk of a test machine may be nearly full.
    limits: { ...VIDEO_SERVICE_LIMITS, spareBytes: 0, ...options.limits },
  });
  const wire: ServiceConnection = {
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
    studio,
    wire,
    folder,
    plan,
    signal,
    fetch: async (changes = {}, stop = signal) =>
      await studio.download(wire, taskId, { ...plan, ...changes, signal: stop }),
    [Symbol.asyncDispose]: async () => {
      await connections.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The sandbox's film of a few seconds, and much larger ones: a box of nothing makes them longer. */
export async function film(bytes = 0): Promise<Buffer> {
  const clip = await readFile(new URL('../../sandbox/media/clip.mp4', import.meta.url));
  const more = bytes - clip.length;
  if (more < 8) return clip;
  const box = randomBytes(more);
  box.writeUInt32BE(more, 0);
  box.write('free', 4, 'latin1');
  return Buffer.concat([clip, box]);
}
