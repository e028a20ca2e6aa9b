import type { Locator, Page } from '@playwright/test';
import { expectAccessible } from '../../kit/ui/axe.ts';
import type { Harness } from '../../kit/ui/harness.ts';
import { expect, test } from '../../kit/ui/kit.ts';
import { reach } from '../../kit/ui/pointer.ts';
import { card, PIXEL } from '../../kit/ui/video-steps.ts';
import { seedOldExchanges, variedFields } from '../../kit/ui/seed/old-exchanges.ts';
import { DEFAULT_VIDEO_REQUEST } from '../../../shared/video/video.ts';
import { seedJob, seedVideos } from '../../kit/ui/seed/video-jobs.ts';

const LONG = `acme/${'a-very-long-name-of-a-model-'.repeat(6)}end`;
const TASK = 'video_0123456789abcdef';

function longFirst(number: number): Record<string, unknown> {
  // Home lists the requests of the service in use.
  return { service: 'sandbox', ...(number === 0 ? { modelSent: LONG } : {}) };
}

/** The rows of exchanges that have ended: one in flight is a row of its own for a moment. */
function findRows(page: Page): Locator {
  return page.locator(
    '[aria-label="Exchanges"] [role="row"][aria-rowindex]:not([aria-rowindex="1"]):not([data-running])',
  );
}

/** Asks once for the status of a video that the sandbox does not know. */
async function check({ url, localKey }: Harness): Promise<void> {
  const headers = { authorization: `Bearer ${localKey}` };
  const response = await fetch(`${url}/v1/videos/${TASK}`, { headers });
  expect(response.status).toBe(404);
  await response.text();
}

test.describe('finding 20: a tooltip repeats only a text that is cut off', () => {
  test.describe('in the history and on Home', () => {
    test.use({ harnessOptions: { seed: { more: seedOldExchanges(3, longFirst) } } });

    test('a cell has it while its text is cut off', async ({ page, harness }) => {
      await harness.open(page, '/history');
      const cells = findRows(page).locator('[data-column="model"]');
      await cells.nth(0).hover();
      await expect(cells.nth(0)).toHaveAttribute('title', LONG);
      await cells.nth(1).hover();
      await expect(cells.nth(1)).toHaveText('acme/model-1');
      await expect(cells.nth(1)).not.toHaveAttribute('title');
      const client = findRows(page).nth(1).locator('[data-column="client"]');
      await client.hover();
      await expect(client).not.toHaveAttribute('title');
      await harness.open(page, '/');
      await reach(page.getByText(LONG, { exact: true }));
      await expect(page.getByRole('tooltip')).toContainText(LONG);
      await reach(page.getByText('acme/model-1', { exact: true }));
      await expect(page.getByRole('tooltip')).toHaveCount(0);
    });
  });

  test('a whole title of a video has none above the search', async ({ startHarness, page }) => {
    const harness = await startHarness({
      seed: {
        more: async (repositories) => {
          await seedVideos(repositories, { service: 'sandbox', pictures: [PIXEL] });
          const request = {
            ...DEFAULT_VIDEO_REQUEST,
            prompt: `A long way home. ${'Step. '.repeat(80)}`,
          };
          await seedJob(repositories, { state: 'done', request });
        },
      },
    });
    await harness.open(page, '/videos');
    await reach(card(page, 'A fox trots'));
    await expect(page.getByRole('tooltip')).toHaveCount(0);
    await reach(card(page, 'A long way home'));
    await expect(page.getByRole('tooltip')).toContainText('A long way home');
    const [tip, search] = await Promise.all([
      page.getByRole('tooltip').boundingBox(),
      page.getByRole('searchbox').boundingBox(),
    ]);
    expect(tip !== null && search !== null && tip.y > search.y + search.height).toBe(true);
  });
});

test.describe('finding 20: a toast covers no facts', () => {
  test.use({ harnessOptions: { seed: { more: seedOldExchanges(40) } } });

  for (const width of [420, 900, 1440]) {
    test(`at ${width} pixels`, { tag: '@browser' }, async ({ page, harness }) => {
      await page.setViewportSize({ width, height: 800 });
      await harness.open(page, '/history');
      await findRows(page).nth(1).click();
      const isWide = width === 1440;
      const pane = page.getByRole('complementary', { name: 'Chat' });
      if (isWide) await expect(pane).toContainText('acme/model-1');
      // The details cover a narrow list.
      else await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
      // The details of an exchange have one, too.
      await page.getByRole('button', { name: 'Export' }).first().click();
      await page.getByRole('menuitem', { name: /^CSV/u }).click();
      const toast = page.getByRole('alert').filter({ hasText: 'Exported 40 requests.' });
      await expect(toast).toBeVisible();
      await toast.hover();
      const rail = page.getByRole('navigation', { name: 'Screens' });
      const links = [
        rail.getByRole('link', { name: 'Settings' }),
        rail.getByRole('button', { name: 'Keyboard' }),
      ];
      const facts = [
        page.getByRole('main'),
        ...(width > 420 ? links : []),
        ...(isWide ? [pane] : []),
      ];
      for (const fact of facts) await expectApart(toast, fact);
      await page.keyboard.press('Escape');
    });
  }
});

test.describe('the names of clients and keys stay readable', () => {
  for (const width of [420, 1280]) {
    test(`at ${width} pixels`, { tag: '@browser' }, async ({ page, harness }) => {
      const { clients } = await harness.calls();
      const expiresAt = Date.now() + 86_400_000;
      for (const name of ['Editor', 'Report']) await clients.add({ name, expiresAt });
      await page.setViewportSize({ width, height: 800 });
      await harness.open(page, '/clients');
      const name = (client: string) => page.getByRole('button', { name: client, exact: true });
      await reach(page.getByText(/^until/u).last());
      const tip = page.getByRole('tooltip');
      await expect(tip).toContainText('Its key works until');
      for (const client of ['First client', 'Editor', 'Report', 'Window']) {
        await expectApart(tip, name(client));
      }
      if (width === 1280) {
        const rail = page.getByRole('navigation', { name: 'Screens' });
        await reach(rail.getByRole('button', { name: 'Pause' }));
        await expect(tip).toContainText('Refuse new requests');
        await expectApart(tip, rail.getByRole('button', { name: 'Keyboard' }));
      }
      await name('Report').click();
      if (width === 1280) {
        // The pane beside the list leaves room for them.
        await expect(page.getByRole('complementary')).toBeVisible();
        const first = name('First client');
        expect(await first.evaluate((it) => it.scrollWidth <= it.clientWidth)).toBe(true);
      }
      await page.getByRole('button', { name: 'Revoke' }).click();
      const question = page.getByRole('dialog', { name: 'Revoke Report' });
      await question.getByRole('button', { name: 'Revoke', exact: true }).click();
      const toast = page.getByRole('alert').filter({ hasText: '“Report” was revoked.' });
      await expect(toast).toBeVisible();
      await toast.hover();
      await expectApart(toast, page.getByRole('heading', { name: 'Report' }));
      await expectApart(toast, page.getByText('its key no longer works'));
    });
  }
});

/** Expects that two parts of the page do not overlap: the content of `main`, not its frame. */
async function expectApart(one: Locator, other: Locator): Promise<void> {
  await expect(async () => {
    const [a, b] = await Promise.all([one.boundingBox(), visibleBox(other)]);
    if (a === null) throw new Error('It is not visible.');
    const apart =
      a.x + a.width <= b.x ||
      b.x + b.width <= a.x ||
      a.y + a.height <= b.y ||
      b.y + b.height <= a.y;
    expect(apart, JSON.stringify([a, b])).toBe(true);
  }).toPass();
}

/** Returns the box of an element without its padding. */
async function visibleBox(part: Locator) {
  return await part.evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    const [left, top] = [parseFloat(style.paddingLeft), parseFloat(style.paddingTop)];
    return { x: x + left, y: y + top, width: width - left, height: height - top };
  });
}

test.describe('finding 20: the status checks of a video', () => {
  test('are one row with their number, which grows in its place', async ({ page, harness }) => {
    await check(harness);
    await check(harness);
    await harness.open(page, '/history');
    await expect(findRows(page)).toHaveCount(1);
    await expect(findRows(page)).toContainText('2 checks');
    await expect(page.getByText('2 requests', { exact: true })).toBeVisible();
    await page.keyboard.press('j');
    await expect(findRows(page)).toHaveAttribute('data-marked', 'true');
    await check(harness);
    await expect(findRows(page)).toContainText('3 checks');
    await expect(findRows(page)).toHaveAttribute('data-marked', 'true');
    await expect(page.getByText('3 requests', { exact: true })).toBeVisible();
    await harness.ask({ model: 'aurora/aurora-large' });
    await expect(findRows(page)).toHaveCount(2);
    await check(harness);
    // A row is where its latest check is.
    await expect(findRows(page).nth(0)).toContainText('4 checks');
    await expect(findRows(page).nth(0)).toHaveAttribute('data-marked', 'true');
    await expectAccessible(page);
  });

  test('are listed one by one from the details', async ({ page, harness }) => {
    for (let times = 0; times < 3; times += 1) await check(harness);
    await harness.ask();
    await harness.open(page, '/history');
    await findRows(page).filter({ hasText: '3 checks' }).click();
    await check(harness);
    await expect(findRows(page).nth(0)).toContainText('4 checks');
    await expect(findRows(page).nth(0)).toHaveAttribute('aria-selected', 'true');
    await page.getByRole('button', { name: 'Show each check of this video' }).click();
    await expect(findRows(page)).toHaveCount(4);
    await expect(page.getByText('4 requests', { exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'Reset' }).click();
    await expect(findRows(page)).toHaveCount(2);
  });
});

test.describe('findings 11 and 20: the search of the history', () => {
  test.use({ harnessOptions: { seed: { more: seedOldExchanges(60, variedFields) } } });

  test('finds a status and the words that a row has for its failure', async ({ page, harness }) => {
    await harness.ask({ localKey: 'gh-wrong' });
    await harness.open(page, '/history');
    await expect(page.getByText('61 requests')).toBeVisible();
    const search = page.getByLabel('Search the history');
    await search.fill('429');
    await expect(page.getByText('12 requests')).toBeVisible();
    await search.fill('wrong key');
    await expect(findRows(page)).toHaveCount(1);
    await expect(findRows(page)).toContainText('401');
    await expect(findRows(page)).toContainText('wrong key');
  });
});

test.describe('finding 20: the number of exchanges', () => {
  test('has each of those that one row counts', async ({ page, harness }) => {
    for (let times = 0; times < 3; times += 1) await harness.ask({ localKey: '' });
    await harness.open(page, '/history');
    await expect(findRows(page)).toContainText('3 times');
    await expect(page.getByText('3 requests', { exact: true })).toBeVisible();
    await harness.ask({ localKey: '' });
    await expect(findRows(page)).toContainText('4 times');
    await expect(page.getByText('4 requests', { exact: true })).toBeVisible();
  });
});
