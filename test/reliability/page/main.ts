import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MEASURED, reliabilityPage } from './page.ts';

const file = join(import.meta.dirname, '..', '..', '..', 'docs', 'reliability.md');
const before = await readFile(file, 'utf8').catch(() => '');
const at = before.indexOf(MEASURED);
await writeFile(file, reliabilityPage() + (at === -1 ? MEASURED : before.slice(at)));
