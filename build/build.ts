import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { collectNotices } from './notices.ts';
import { buildPage } from './page-bundle.ts';
import { buildProgram } from './program-bundle.ts';

const OUT = join(import.meta.dirname, '..', 'out', 'cli');

const modules = await buildProgram('cli', 'small');
await writeFile(join(OUT, 'THIRD-PARTY-NOTICES.txt'), await collectNotices(modules));
await chmod(join(OUT, 'main.js'), 0o755);
await buildPage();
