import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type BuildOptions, type Plugin, type RolldownOutput } from 'rolldown';
import { drawAppIcons, drawOwnIcons } from './icons.ts';
import { collectNotices } from './notices.ts';

const ROOT = join(import.meta.dirname, '..');

const COMMON: BuildOptions = {
  cwd: ROOT,
  platform: 'node',
  external: ['electron', '@napi-rs/keyring'],
  resolve: { mainFields: ['module', 'main'] },
};
const MINIFY = { compress: false, mangle: false, codegen: true } as const;

/** Options for building the app. */
export interface DesktopBuildOptions {
  /** The output folder; defaults to `out/desktop`. */
  readonly out?: string;
  /** Modules to replace by others, both as paths below the repository. */
  readonly replace?: Readonly<Record<string, string>>;
}

/** Builds the desktop app. Its page is built separately; the icons of its packages are written to `out/package`. */
export async function buildDesktop({
  out = join(ROOT, 'out', 'desktop'),
  replace = {},
}: DesktopBuildOptions = {}): Promise<void> {
  await rm(out, { recursive: true, force: true });
  const programs = await build({
    ...COMMON,
    plugins: [replaceModules(replace)],
    input: {
      main: 'launcher/main.ts',
      app: 'electron/main.ts',
      engine: 'electron/engine/engine.ts',
      worker: 'gateway/store/worker.ts',
      'file-worker': 'gateway/store/file-worker.ts',
      'bodies-worker': 'gateway/bodies/worker.ts',
      'reconcile-worker': 'gateway/reconcile/thread/worker.ts',
    },
    output: {
      dir: out,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      minify: MINIFY,
    },
  });
  // A sandboxed preload has to be one CommonJS file.
  const preload = await build({
    ...COMMON,
    input: { preload: 'electron/preload/preload.ts' },
    output: { dir: out, format: 'cjs', entryFileNames: '[name].cjs', minify: MINIFY },
  });
  const modules = [programs, preload].flatMap(({ output }) => output).flatMap(listModules);
  await Promise.all([
    cp(join(ROOT, 'sandbox', 'media', 'clip.mp4'), join(out, 'media', 'clip.mp4')),
    drawOwnIcons(join(out, 'icons')),
    drawAppIcons(join(ROOT, 'out', 'package')),
  ]);
  // This file is written last, so its presence shows that the build is complete.
  await writeFile(join(out, 'THIRD-PARTY-NOTICES.txt'), await collectNotices(modules));
}

/** Replaces modules by others. */
function replaceModules(replace: Readonly<Record<string, string>>): Plugin {
  const byId = new Map(
    Object.entries(replace).map(([from, to]) => [join(ROOT, from), join(ROOT, to)]),
  );
  return {
    name: 'replace-modules',
    async resolveId(source, importer, options) {
      const resolved = await this.resolve(source, importer, { ...options, skipSelf: true });
      const instead = resolved === null ? undefined : byId.get(resolved.id);
      return instead ?? resolved;
    },
  };
}

function listModules(part: RolldownOutput['output'][number]): readonly string[] {
  return part.type === 'chunk' ? part.moduleIds : [];
}

if (import.meta.main) await buildDesktop();
