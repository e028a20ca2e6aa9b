import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, uptime } from 'node:os';
import { join } from 'node:path';
import { openRepositories, type Repositories } from '../../../gateway/gateway.ts';
import type { Host } from '../../../gateway/host.ts';
import { DEFAULT_VIDEO_REQUEST, type NewVideo } from '../../../shared/video/video.ts';

/** The repositories of a temporary data folder, with a clock that the test sets. */
export interface Folder extends AsyncDisposable {
  readonly repositories: Repositories;
  readonly host: Host;
  readonly logged: readonly string[];
  readonly clock: { now: number };
}

const NONE = { state: 'unavailable', reason: 'There is no keychain here.' } as const;

export async function openFolder(): Promise<Folder> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-videos-'));
  const logged: string[] = [];
  const clock = { now: Date.UTC(2026, 10, 21, 12) };
  const host: Host = {
    dataDir,
    secrets: {
      read: () => Promise.resolve({ state: 'absent' }),
      write: () => Promise.resolve(NONE),
      remove: () => Promise.resolve(NONE),
    },
    log: (level, message) => logged.push(`${level} ${message}`),
    now: () => clock.now,
    uptime: () => uptime() * 1000,
    randomBytes: (size) => randomBytes(size),
  };
  const repositories = await openRepositories({ host });
  return {
    repositories,
    host,
    logged,
    clock,
    [Symbol.asyncDispose]: async () => {
      await repositories.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Builds the input of a valid video, with the given changes. */
export function createVideoInput(fields: Partial<NewVideo> = {}): NewVideo {
  const prompt = 'A red fox runs in snow';
  return { ...DEFAULT_VIDEO_REQUEST, prompt, image: null, waitMinutes: 30, ...fields };
}

/** The smallest PNG, as a file of a folder. */
export async function imageFile({ host }: Pick<Folder, 'host'>, name = 'fox.png'): Promise<string> {
  const path = join(host.dataDir, name);
  await writeFile(path, Buffer.from(PNG, 'base64'));
  return path;
}

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
