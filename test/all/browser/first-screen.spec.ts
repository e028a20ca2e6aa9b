import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Locator, Request } from '@playwright/test';
import { expect, test } from '../../kit/ui/kit.ts';

const ALL_STYLES = fileURLToPath(import.meta.resolve('@mantine/core/styles.css'));
const MAX_FIRST_SCREEN_BYTES = 256_000;

test('the frame and the heading are there before any script has run @browser', async ({
  page,
  harness,
  provoked,
}) => {
  provoked(/ERR_FAILED/u);
  await harness.open(page, '/');
  const frame = page.locator('#first-frame');
  await expect(frame).toHaveCount(0);
  await page.route(/\/assets\/.*\.js$/u, (route) => route.abort());
  await page.goto(new URL('/history', page.url()).href);
  await expect(frame.getByText('History').last()).toBeVisible();
  await expect(frame.locator('[data-active]')).toHaveText('History');
  await page.goto(new URL('/quick', page.url()).href);
  await expect(frame).toBeHidden();
});

test('the frame is drawn where the page draws it @browser', async ({ page, harness, provoked }) => {
  provoked(/ERR_FAILED/u);
  await harness.open(page, '/settings');
  const links = page.getByRole('navigation', { name: 'Screens' }).locator('a:has(svg)');
  await expect(links).toHaveCount(9);
  const places = await readPlaces(links);
  await page.route(/\/assets\/.*\.js$/u, (route) => route.abort());
  await page.reload();
  const framed = await readPlaces(page.locator('.ff-links > div'));
  expect(framed.map(({ text }) => text)).toEqual(places.map(({ text }) => text));
  for (const [index, { box }] of framed.entries()) {
    // Less than a pixel is not seen.
    for (const [side, at] of box.entries())
      expect(Math.abs(at - (places[index]?.box[side] ?? 0))).toBeLessThan(1);
  }
});

test('the scripts and styles of the first screen are small @browser', async ({ page, harness }) => {
  const sizes: Promise<number>[] = [];
  page.on('requestfinished', (request) => {
    if (/\.(?:js|css)$/u.test(new URL(request.url()).pathname)) sizes.push(measureSize(request));
  });
  await harness.open(page, '/');
  await expect(page.getByRole('heading', { name: 'Latest requests' })).toBeVisible();
  await page.waitForLoadState('load');
  const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  expect(total).toBeGreaterThan(100_000);
  expect(total).toBeLessThanOrEqual(MAX_FIRST_SCREEN_BYTES);
});

test('Home has the styles of all its components @browser', async ({ page, harness }) => {
  await harness.open(page, '/');
  await expect(page.getByRole('heading', { name: 'Latest requests' })).toBeVisible();
  const { used, styles } = await page.evaluate(() => ({
    used: [...document.querySelectorAll('[class]')].flatMap(({ classList }) => [...classList]),
    styles: [...document.styleSheets]
      .flatMap(({ cssRules }) => [...cssRules])
      .map(({ cssText }) => cssText),
  }));
  const existing = await readFile(ALL_STYLES, 'utf8');
  const inPage = styles.join('\n');
  const missing = used.filter(
    (name) =>
      name.startsWith('m_') && existing.includes(`.${name}`) && !inPage.includes(`.${name}`),
  );
  expect(used.filter((name) => name.startsWith('m_')).length).toBeGreaterThan(50);
  expect([...new Set(missing)]).toEqual([]);
});

/** Reads the texts of elements and their places, in whole pixels. */
interface Place {
  readonly text: string;
  /** Left, top, width and height in pixels. */
  readonly box: readonly number[];
}

async function readPlaces(elements: Locator): Promise<readonly Place[]> {
  return await elements.evaluateAll((found) =>
    found.map((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return { text: element.textContent.trim(), box: [x, y, width, height] };
    }),
  );
}

async function measureSize(request: Request): Promise<number> {
  const response = await request.response();
  return response === null ? 0 : gzipSync(await response.body()).length;
}
