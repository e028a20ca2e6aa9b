import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Collects the licence texts of the packages that these modules come from, which have to be distributed with the bundle. */
export async function collectNotices(moduleIds: readonly string[]): Promise<string> {
  const folders = new Set(moduleIds.flatMap((id) => findPackageFolder(id) ?? []));
  const notices = await Promise.all([...folders].toSorted(byName).map(readNotice));
  return `The bundled program contains these packages.\n\n${notices.join('\n')}`;
}

/** Returns the folder of the package that a module belongs to; `null` for our own. */
function findPackageFolder(id: string): string | null {
  return /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/.exec(id)?.[0] ?? null;
}

function byName(a: string, b: string): number {
  return a < b ? -1 : 1;
}

async function readNotice(folder: string): Promise<string> {
  const described: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const file = (await readdir(folder)).find((name) => /^licen[cs]e/i.test(name));
  const text = file === undefined ? 'See its package.' : await readFile(join(folder, file), 'utf8');
  return `${'-'.repeat(72)}\n${formatTitle(described)}\n\n${text.trim()}\n`;
}

function formatTitle(described: unknown): string {
  const fields = new Map(Object.entries(Object(described)));
  return ['name', 'version', 'license'].map((field) => String(fields.get(field))).join(' ');
}
