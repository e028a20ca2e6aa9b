import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { extractAll } from '@electron/asar';
import { asChromium } from './chromium-arguments.ts';
import { behaveAsElectron } from './electron-process.ts';

// A stand-in for the program of Electron, to which its first argument is the path. It runs the packed app as Electron runs its main
// module, up to the point where it would look for a display. The archive is extracted into the folder that GATEHOUSE_TEST_EXTRACTED names, for Node.js reads none.
const program = process.argv[1] ?? '';
process.execPath = program;
process.argv = [program, ...asChromium(process.argv.slice(2))];
behaveAsElectron();
const extracted = process.env['GATEHOUSE_TEST_EXTRACTED'] ?? '';
if (!existsSync(extracted)) extractAll(join(dirname(program), 'resources', 'app.asar'), extracted);
const { main }: { main: string } = JSON.parse(
  readFileSync(join(extracted, 'package.json'), 'utf8'),
);
try {
  await import(pathToFileURL(join(extracted, main)).href);
  process.stderr.write('Electron looks for a display.\n');
} catch (error) {
  process.emit('uncaughtException', error instanceof Error ? error : new Error(String(error)));
}
