import { chmod, cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type RolldownOutput } from 'rolldown';
import { noticesOf } from './notices.ts';
import { buildPage } from './page-bundle.ts';

const ROOT = join(import.meta.dirname, '..');
const OUT = join(ROOT, 'out', 'cli');

await rm(OUT, { recursive: true, force: true });
const { output } = await build({
  cwd: ROOT,
  platform: 'node',
  // Besides the program, the two files that are started by their path: the store's thread and the keychain's process.
  input: {
    main: 'cli/main.ts',
    worker: 'gateway/store/worker.ts',
    'keychain-process': 'cli/keychain-process.ts',
  },
  // Native code, and a package of its own for each system: npm installs the right one.
  external: ['@napi-rs/keyring'],
  // jsonc-parser's other form looks its own files up at run time.
  resolve: { mainFields: ['module', 'main'] },
  output: {
    dir: OUT,
    format: 'esm',
    // One folder, for files are found beside the one that asks for them.
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    minify: { compress: false, mangle: false, codegen: true },
  },
});
await cp(join(ROOT, 'sandbox', 'media', 'clip.mp4'), join(OUT, 'media', 'clip.mp4'));
await writeFile(join(OUT, 'THIRD-PARTY-NOTICES.txt'), await noticesOf(output.flatMap(modulesOf)));
await chmod(join(OUT, 'main.js'), 0o755);
await buildPage();

function modulesOf(part: RolldownOutput['output'][number]): readonly string[] {
  return part.type === 'chunk' ? part.moduleIds : [];
}
