import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createPackage } from '@electron/asar';
import electronPackage from 'electron/package.json' with { type: 'json' };

/** The format of the fuses in Electron's program: a mark, a version, their number, and their states. */
const WIRE = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX\u0001\u0009101110011';
const PROGRAM = join(import.meta.dirname, 'electron-stand-in.ts');

/** Writes what electron-builder touches of Electron's files; the program is a stand-in that runs the packed app under Node.js. */
export async function writeElectronFiles(folder: string): Promise<void> {
  await mkdir(join(folder, 'resources'), { recursive: true });
  await mkdir(join(folder, 'locales'));
  await writeFile(join(folder, 'locales', 'en-US.pak'), '');
  await writeFile(join(folder, 'version'), electronPackage.version);
  await writeFile(join(folder, 'chrome-sandbox'), '', { mode: 0o755 });
  // Electron's own programs have build ids, of which rpm makes links.
  if (process.platform === 'linux') {
    await copyFile('/usr/bin/true', join(folder, 'chrome_crashpad_handler'));
  }
  const program = `#!${process.execPath}\n// ${WIRE}\nimport(${JSON.stringify(PROGRAM)});\n`;
  await writeFile(join(folder, 'electron'), program, { mode: 0o755 });
  await createPackage(join(folder, 'locales'), join(folder, 'resources', 'default_app.asar'));
}
