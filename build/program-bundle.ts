import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin, type RolldownOutput } from 'rolldown';

const ROOT = join(import.meta.dirname, '..');

/** Bundles the command into a folder of `out`, minified for a package or readable, and resolves with the modules it contains. */
export async function buildProgram(
  folder: string,
  size: 'small' | 'readable',
): Promise<readonly string[]> {
  const dir = join(ROOT, 'out', folder);
  await rm(dir, { recursive: true, force: true });
  const { output } = await build({
    cwd: ROOT,
    platform: 'node',
    // Besides the program, these files are started by their path: the store's threads and the keychain's process.
    input: {
      main: 'cli/main.ts',
      worker: 'gateway/store/worker.ts',
      'file-worker': 'gateway/store/file-worker.ts',
      'bodies-worker': 'gateway/bodies/worker.ts',
      'reconcile-worker': 'gateway/reconcile/thread/worker.ts',
      'keychain-process': 'cli/process/keychain-process.ts',
    },
    // It is native code in a package for each system, of which npm installs the right one.
    external: ['@napi-rs/keyring'],
    plugins: [withoutHttp2],
    // The other form of jsonc-parser resolves its own files at run time.
    resolve: { mainFields: ['module', 'main'] },
    output: {
      dir,
      // As an ECMAScript module, an import of `node:http` reads all its exports, and so loads a second undici: that of Node.
      format: 'cjs',
      // All files are in one folder, because they find each other there.
      entryFileNames: '[name].js',
      // A part that a running program loads late must not be one of a newer version.
      chunkFileNames: '[name]-[hash].js',
      minify: size === 'small' && { compress: false, mangle: false, codegen: true },
    },
  });
  // The package itself says that its files are ECMAScript modules.
  await writeFile(join(dir, 'package.json'), '{ "type": "commonjs" }\n');
  await cp(join(ROOT, 'sandbox', 'media', 'clip.mp4'), join(dir, 'media', 'clip.mp4'));
  return output.flatMap(listModules);
}

/** Leaves out the HTTP/2 client of undici, which no connection of Gatehouse uses and which takes some milliseconds of each start. */
const withoutHttp2: Plugin = {
  name: 'without-http2',
  load: {
    filter: { id: /undici[\\/]lib[\\/]dispatcher[\\/]client-h2\.js$/u },
    handler: () => `module.exports = () => { throw new Error('HTTP/2 is not used.'); };`,
  },
};

function listModules(part: RolldownOutput['output'][number]): readonly string[] {
  return part.type === 'chunk' ? part.moduleIds : [];
}
