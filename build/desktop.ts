import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type BuildOptions } from 'rolldown';

const ROOT = join(import.meta.dirname, '..');
const OUT = join(ROOT, 'out', 'desktop');

const COMMON: BuildOptions = {
  cwd: ROOT,
  platform: 'node',
  external: ['electron', '@napi-rs/keyring'],
  resolve: { mainFields: ['module', 'main'] },
};
const MINIFY = { compress: false, mangle: false, codegen: true } as const;

/** Builds the desktop app into `out/desktop`; its page is built apart. */
export async function buildDesktop(): Promise<void> {
  await rm(OUT, { recursive: true, force: true });
  await build({
    ...COMMON,
    input: {
      main: 'electron/main.ts',
      engine: 'electron/engine.ts',
      worker: 'gateway/store/worker.ts',
    },
    output: {
      dir: OUT,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      minify: MINIFY,
    },
  });
  // A sandboxed preload is one CommonJS file.
  await build({
    ...COMMON,
    input: { preload: 'electron/preload/preload.ts' },
    output: { dir: OUT, format: 'cjs', entryFileNames: '[name].cjs', minify: MINIFY },
  });
  await cp(join(ROOT, 'sandbox', 'media', 'clip.mp4'), join(OUT, 'media', 'clip.mp4'));
}

if (import.meta.main) await buildDesktop();
