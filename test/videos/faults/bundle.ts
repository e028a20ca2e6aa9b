import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'rolldown';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** The engine as one file, for it is started very often. */
export interface Bundle extends AsyncDisposable {
  /** What is started, and what is loaded before it. */
  readonly engine: string;
  readonly points: string;
  /** Where what was compiled is kept for the next start. */
  readonly compiled: string;
}

export async function buildBundle(): Promise<Bundle> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-faults-'));
  await build({
    cwd: ROOT,
    platform: 'node',
    input: {
      engine: 'test/videos/faults/engine-process.ts',
      points: 'test/videos/faults/points-process.ts',
      worker: 'gateway/store/worker.ts',
    },
    resolve: { mainFields: ['module', 'main'] },
    output: {
      dir: folder,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
    },
  });
  // Otherwise Node looks into each file for what kind of module it is.
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  return {
    engine: join(folder, 'engine.js'),
    points: join(folder, 'points.js'),
    compiled: join(folder, 'compiled'),
    [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true, force: true }),
  };
}
