import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type RolldownOutput } from 'rolldown';

const ROOT = join(import.meta.dirname, '..');

/** Bundles the command into a folder of `out`, minified for a package or readable, and resolves with the modules it contains. */
export async function buildProgram(
  folder: string,
  size: 'small' | 'readable',
): Promise<readonly string[]> {
  const dir = join(ROOT, 'out', folder);
  const { output } = await build({
    cwd: ROOT,
    platform: 'node',
    // Besides the program, these files are started by their path: the store's threads and the keychain's process.
    input: {
      main: 'cli/main.ts',
      worker: 'gateway/store/worker.ts',
      'file-worker': 'gateway/store/file-worker.ts',
      'keychain-process': 'cli/process/keychain-process.ts',
    },
    // It is native code in a package for each system, of which npm installs the right one.
    external: ['@napi-rs/keyring'],
    // The other form of jsonc-parser resolves its own files at run time.
    resolve: { mainFields: ['module', 'main'] },
    output: {
      dir,
      format: 'esm',
      // All files are in one folder, because they find each other there.
      entryFileNames: '[name].js',
      chunkFileNames: '[name].js',
      minify: size === 'small' && { compress: false, mangle: false, codegen: true },
    },
  });
  await cp(join(ROOT, 'sandbox', 'media', 'clip.mp4'), join(dir, 'media', 'clip.mp4'));
  return output.flatMap(modulesOf);
}

function modulesOf(part: RolldownOutput['output'][number]): readonly string[] {
  return part.type === 'chunk' ? part.moduleIds : [];
}
