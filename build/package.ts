import { build } from 'electron-builder';
import { join } from 'node:path';
import { buildDesktop } from './desktop.ts';
import { PACKAGES } from './packages.ts';
import { buildPage } from './page-bundle.ts';

// Makes the packages of the system that this runs on: the keyring is installed for that system only.
await buildPage();
await buildDesktop();
const files = await build({
  projectDir: join(import.meta.dirname, '..'),
  config: PACKAGES,
  publish: 'never',
});
console.error(files.join('\n'));
