import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type RolldownOutput } from 'rolldown';

const ROOT = join(import.meta.dirname, '..');

/** Builds the command into a folder of `out`, small for a package or readable, and resolves with the modules it contains. */
export async function buildProgram(
  folder: string,
  size: 'small' | 'readable',
): Promise<readonly string[]> {
  const dir = join(ROOT, 'out', folder);
  const { output } = await build({
    cwd: ROOT,
    platform: 'node',
    // Besides the program, the files that are started by their path: the store's threads and the keychain's process.
    input: {
      main: 'cli/main.ts',
      worker: 'gateway/store/worker.ts',
      'file-worker': 'gateway/store/file-worker.ts',
      'keychain-process': 'cli/process/keychain-process.ts',
    },
    // Native code, and a package of its own for each system: npm installs the right one.
    external: ['@napi-rs/keyring'],
    // jsonc-parser's other form looks its own files up at run time.
    resolve: { mainFields: ['module', 'main'] },
    output: {
      dir,
      format: 'esm',
      // One folder, for files are found beside the one that asks for them.
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
