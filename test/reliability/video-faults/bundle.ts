import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'rolldown';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** The engine bundled into one file, because it is started very often. */
export interface Bundle extends AsyncDisposable {
  /** Path of the program, and of the module that is preloaded. */
  readonly engine: string;
  readonly points: string;
  /** Folder of the compile cache for later starts. */
  readonly compiled: string;
}

export async function buildBundle(): Promise<Bundle> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-faults-'));
  await build({
    cwd: ROOT,
    platform: 'node',
    input: {
      engine: 'test/reliability/video-faults/engine-process.ts',
      points: 'test/reliability/video-faults/points-process.ts',
      worker: 'gateway/store/worker.ts',
      'bodies-worker': 'gateway/bodies/worker.ts',
    },
    resolve: { mainFields: ['module', 'main'] },
    output: {
      dir: folder,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
    },
  });
  // With a `package.json`, Node need not detect the module type of each file.
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  return {
    engine: join(folder, 'engine.js'),
    points: join(folder, 'points.js'),
    compiled: join(folder, 'compiled'),
    [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true, force: true }),
  };
}
