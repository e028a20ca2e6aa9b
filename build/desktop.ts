import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type BuildOptions, type RolldownOutput } from 'rolldown';
import { drawAppIcons, drawOwnIcons } from './icons.ts';
import { noticesOf } from './notices.ts';

const ROOT = join(import.meta.dirname, '..');
const OUT = join(ROOT, 'out', 'desktop');

const COMMON: BuildOptions = {
  cwd: ROOT,
  platform: 'node',
  external: ['electron', '@napi-rs/keyring'],
  resolve: { mainFields: ['module', 'main'] },
};
const MINIFY = { compress: false, mangle: false, codegen: true } as const;

/** Builds the desktop app into `out/desktop`; its page is built apart, and the icons of its packages lie in `out/package`. */
export async function buildDesktop(): Promise<void> {
  await rm(OUT, { recursive: true, force: true });
  const programs = await build({
    ...COMMON,
    input: {
      main: 'electron/main.ts',
      engine: 'electron/engine.ts',
      worker: 'gateway/store/worker.ts',
      'file-worker': 'gateway/store/file-worker.ts',
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
  const preload = await build({
    ...COMMON,
    input: { preload: 'electron/preload/preload.ts' },
    output: { dir: OUT, format: 'cjs', entryFileNames: '[name].cjs', minify: MINIFY },
  });
  const modules = [programs, preload].flatMap(({ output }) => output).flatMap(modulesOf);
  await Promise.all([
    cp(join(ROOT, 'sandbox', 'media', 'clip.mp4'), join(OUT, 'media', 'clip.mp4')),
    drawOwnIcons(join(OUT, 'icons')),
    drawAppIcons(join(ROOT, 'out', 'package')),
  ]);
  // The last: where it is, everything is.
  await writeFile(join(OUT, 'THIRD-PARTY-NOTICES.txt'), await noticesOf(modules));
}

function modulesOf(part: RolldownOutput['output'][number]): readonly string[] {
  return part.type === 'chunk' ? part.moduleIds : [];
}

if (import.meta.main) await buildDesktop();
