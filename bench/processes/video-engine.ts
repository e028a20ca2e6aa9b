import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, uptime } from 'node:os';
import { join } from 'node:path';
import { setInterval } from 'node:timers';
import { z } from 'zod';
import {
  type Gateway,
  openGateway,
  openRepositories,
  type Repositories,
} from '../../gateway/gateway.ts';
import type { Host, SecretStore } from '../../gateway/host.ts';
import { type Keys, openKeys } from '../../gateway/keys/keys.ts';
import {
  DEFAULT_VIDEO_REQUEST,
  createVideoId,
  VIDEO_ID_BYTES,
  type VideoJob,
  VideoState,
} from '../../shared/video/video.ts';
import { SERVICE_KEY } from '../data/exchange.ts';
import { serveParent } from './serve-parent.ts';

// The engine with its video queue, in its usual configuration.

interface Running {
  readonly repositories: Repositories;
  readonly keys: Keys;
  readonly gateway: Gateway;
  readonly dataDir: string;
  readonly baseUrl: string;
}

const AT_ONCE = 100;
const LOOK_MS = 10;
let running: Running | null = null;
let peakMemory = 0;

const NO_KEYCHAIN: SecretStore = {
  read: () => Promise.resolve({ state: 'absent' }),
  write: () => Promise.resolve({ state: 'unavailable', reason: 'There is no keychain here.' }),
  remove: () => Promise.resolve({ state: 'unavailable', reason: 'There is no keychain here.' }),
};

const log: Host['log'] = (level, message, fields) => {
  if (level !== 'warn' && level !== 'error') return;
  process.stderr.write(`engine: ${message} ${JSON.stringify(fields ?? {})}\n`);
};

async function open(input: unknown): Promise<null> {
  const { baseUrl, pollMs } = z.object({ baseUrl: z.string(), pollMs: z.number() }).parse(input);
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'));
  const host: Host = {
    dataDir,
    secrets: NO_KEYCHAIN,
    log,
    now: Date.now,
    uptime: () => uptime() * 1000,
    randomBytes,
  };
  const repositories = await openRepositories({ host });
  await repositories.upstreams.addAndActivate({ baseUrl });
  await repositories.settings.change({ videosAtOnce: AT_ONCE });
  const keys = await openKeys({
    secrets: NO_KEYCHAIN,
    account: baseUrl,
    log,
    thisRunKey: SERVICE_KEY,
  });
  const gateway = await openGateway({
    repositories,
    platform: {
      openServiceKey: () => Promise.resolve(keys),
      openSandbox: () => Promise.reject(new Error('There is a service.')),
    },
    version: 'bench',
    port: 0,
    allowedOrigins: [],
    limits: { videos: { pollMs } },
  });
  running = { repositories, keys, gateway, dataDir, baseUrl };
  return null;
}

function requireRunning(): Running {
  if (running === null) throw new Error('The engine is not open.');
  return running;
}

/** Orders videos with these prompts, and confirms them. */
async function add(input: unknown): Promise<null> {
  const { repositories, baseUrl } = requireRunning();
  for (const prompt of z.array(z.string()).parse(input)) {
    const video = { ...DEFAULT_VIDEO_REQUEST, prompt, image: null, waitMinutes: 60 };
    // One after the other, as in the window.
    const id = createVideoId(repositories.host.randomBytes(VIDEO_ID_BYTES));
    await repositories.videos.add({
      id,
      video,
      confirmed: true,
      origin: 'window',
      service: baseUrl,
    });
  }
  return null;
}

/** Waits until `count` videos are in a state, and returns one of them. */
async function until(input: unknown): Promise<VideoJob | null> {
  const { state, count } = z.object({ state: VideoState, count: z.number() }).parse(input);
  const { videos } = requireRunning().repositories;
  for (;;) {
    const { promise: changed, resolve } = Promise.withResolvers<void>();
    const stop = videos.on(resolve);
    const { jobs, counts } = await videos.page({ filter: { states: [state] }, limit: 1 });
    if ((counts[state] ?? 0) >= count) {
      stop();
      return jobs[0] ?? null;
    }
    if (counts.unsure + counts['needs-answer'] + counts.failed > 0) {
      throw new Error(`Not all videos went well: ${JSON.stringify(counts)}`);
    }
    await changed;
    stop();
  }
}

/** Starts to record the peak memory of this process. */
function watchMemory(): Promise<null> {
  setInterval(() => {
    peakMemory = Math.max(peakMemory, process.memoryUsage.rss());
  }, LOOK_MS).unref();
  return Promise.resolve(null);
}

async function close(): Promise<void> {
  if (running === null) return;
  await running.gateway.close(0);
  running.keys.close();
  await running.repositories.close();
  await rm(running.dataDir, { recursive: true, force: true });
}

serveParent(
  {
    open,
    add,
    until,
    'watch-memory': watchMemory,
    'peak-memory': () => Promise.resolve(peakMemory),
  },
  close,
);
