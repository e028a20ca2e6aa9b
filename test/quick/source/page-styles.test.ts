import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ASSETS = fileURLToPath(new URL('../../../out/ui/assets', import.meta.url));
const ALL_STYLES = fileURLToPath(import.meta.resolve('@mantine/core/styles.css'));

test('the built page has the styles of every component that it uses', async () => {
  const used = findClasses(await readAssets('.js'));
  const styled = findClasses(await readAssets('.css'));
  const all = findClasses(await readFile(ALL_STYLES, 'utf8'));
  expect(used.size).toBeGreaterThan(50);
  expect([...used].filter((name) => all.has(name) && !styled.has(name))).toEqual([]);
});

/** Finds the classes of Mantine's components in the code of the page. */
function findClasses(text: string): ReadonlySet<string> {
  return new Set(text.match(/\bm_[\da-f]{6,8}\b/gu));
}

async function readAssets(ext: string): Promise<string> {
  const files = (await readdir(ASSETS)).filter((file) => file.endsWith(ext));
  const texts = files.map(async (file) => await readFile(`${ASSETS}/${file}`, 'utf8'));
  return (await Promise.all(texts)).join('\n');
}
