import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { collectNotices } from './notices.ts';

const ROOT = join(import.meta.dirname, '..');

/** Builds the page into `out/ui`, with the licences of its contents. */
export async function buildPage(): Promise<void> {
  const moduleIds = new Set<string>();
  await build({
    configFile: join(ROOT, 'renderer', 'vite.config.ts'),
    logLevel: 'warn',
    // Style sheets and fonts belong to it, although no chunk names them.
    plugins: [{ name: 'note-modules', moduleParsed: ({ id }) => void moduleIds.add(id) }],
  });
  const notices = await collectNotices([...moduleIds]);
  await writeFile(join(ROOT, 'out', 'ui', 'THIRD-PARTY-NOTICES.txt'), notices);
}
