import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProgram } from '../host/process/child-process.ts';
import { describePackages } from './packages.ts';

// `npm run package` builds the packages of the present system, because the keyring is installed for that system only. Options behind `--`
// are those of electron-builder.
const folder = await mkdtemp(join(tmpdir(), 'gatehouse-package-'));
try {
  const configuration = join(folder, 'electron-builder.json');
  await writeFile(configuration, JSON.stringify(await describePackages(process.env)));
  const builder = createRequire(import.meta.url).resolve('electron-builder/cli.js');
  const options = ['--publish', 'never', '--config', configuration, ...process.argv.slice(2)];
  const child = startProgram(
    { program: process.execPath, args: [builder, ...options] },
    { cwd: join(import.meta.dirname, '..'), stdio: 'inherit' },
  );
  const [code] = await once(child, 'close');
  process.exitCode = typeof code === 'number' ? code : 1;
} finally {
  await rm(folder, { recursive: true });
}
