import type { Download } from '@playwright/test';
import { openSandbox } from '../../../../sandbox/server.ts';
import { Har } from '../../../kit/history/har-schema.ts';
import { expectAccessible } from '../../../kit/ui/axe.ts';
import { expect, test } from '../../../kit/ui/kit.ts';
import { SILENT_SENDER } from '../../../../shared/exchange/sender.ts';
import { NO_MEDIA, UNKNOWN_USAGE } from '../../../../shared/exchange/usage.ts';
import { seedOldExchanges, variedFields } from '../../../kit/ui/seed/old-exchanges.ts';
import { findList, findRows, readText } from '../../../kit/ui/steps/history.ts';

/** Whether an element shows all of its text. */
function isWhole({ scrollWidth, clientWidth }: Element): boolean {
  return scrollWidth <= clientWidth;
}

test('the count is current after a visit to another screen', async ({ page, harness }) => {
  await harness.ask();
  await harness.open(page, '/history');
  await expect(page.getByText('1 request', { exact: true })).toBeVisible();
  await page.getByRole('link', { name: 'Clients', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Clients' })).toBeVisible();
  await harness.ask();
  await page.getByRole('link', { name: 'History', exact: true }).click();
  await expect(page.getByText('2 requests', { exact: true })).toBeVisible();
});

test('beside an open exchange, each row still names its model', async ({ page, harness }) => {
  await using service = await openSandbox();
  await harness.ask();
  const { upstreams } = await harness.calls();
  const more = { versionVendor: 'anthropic', caFile: null, proxyUrl: null };
  const form = { name: 'The office', baseUrl: service.url, ...more };
  await upstreams.add({ ...form, key: service.key, place: 'file', use: true, untested: true });
  await harness.ask();
  await harness.open(page, '/history');
  await expect(findRows(page)).toHaveCount(2);
  await findRows(page).first().click();
  await expect(page.getByRole('complementary', { name: 'Chat' })).toBeVisible();
  const model = findRows(page).first().locator('[data-column="model"]');
  await expect(model).toContainText('The office');
  const name = model.getByText('aurora-large', { exact: false }).last();
  await expect.poll(() => name.evaluate(isWhole)).toBe(true);
  await model.hover();
  await expect(model).toHaveAttribute('title', 'aurora/aurora-large');
});

test('equal refusals without a key are one row with their number', async ({ page, harness }) => {
  for (let i = 0; i < 3; i += 1) expect((await harness.ask({ localKey: '' })).status).toBe(401);
  await harness.open(page, '/history');
  await expect(findRows(page)).toHaveCount(1);
  await expect(findRows(page)).toContainText('3 times');
  await findRows(page).click();
  await expect(page.getByText('3 identical requests', { exact: false })).toBeVisible();
  const tokens = findRows(page).locator('[data-column="tokens"]');
  await expect(tokens).toContainText('no tokens');
  await expect(findRows(page).locator('[data-column="route"]')).toHaveText('Chat');
  const details = page.getByRole('complementary', { name: 'Chat' });
  await expect(details).toContainText('Unknown: this request was not sent to the service.');
  await expect(details).toContainText('None: nothing was sent to the service.');
  await expect(details).toContainText('3 times, from');
  await expect(details).toContainText('no body read');
  await expect(details).toContainText(
    'Headers of requests without a valid local key are not stored',
  );
  await expect(details).toContainText('Those of requests without a valid local key are not stored');
  await expectAccessible(page);
});

test.describe('an empty history', () => {
  test(
    'says how to record a first exchange, and is accessible',
    { tag: '@browser' },
    async ({ page, harness }) => {
      await harness.open(page, '/history');
      await expect(page.getByText('No requests yet')).toBeVisible();
      await expect(page.getByText('0 requests')).toBeVisible();
      await expectAccessible(page);
      await page.getByRole('main').getByRole('link', { name: 'Clients' }).click();
      await expect(page).toHaveURL(/\/clients$/u);
    },
  );

  test('shows the first exchange without a reload', async ({ page, harness }) => {
    await harness.open(page, '/history');
    await expect(page.getByText('No requests yet')).toBeVisible();
    await harness.ask({ model: 'aurora/aurora-large', stream: true });
    await expect(findRows(page)).toHaveCount(1);
    await expect(findRows(page)).toContainText('aurora/aurora-large');
    await expect(findRows(page).getByRole('img', { name: 'Streamed' })).toBeVisible();
    await expect(page.getByText('1 request', { exact: true })).toBeVisible();
  });
});

test.describe('filters', () => {
  test.use({ harnessOptions: { seed: { more: seedOldExchanges(60, variedFields) } } });

  test('are accessible, closed and open', { tag: '@browser' }, async ({ page, harness }) => {
    await harness.open(page, '/history?filter=status%3A4xx%20since%3Atoday');
    await expect(findRows(page).first()).toBeVisible();
    await expectAccessible(page);
    await page.getByRole('combobox', { name: 'Client' }).click();
    await expect(page.getByRole('option', { name: 'Cline' })).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Time' }).click();
    await expect(page.getByRole('radio', { name: 'Today' })).toBeChecked();
    await expectAccessible(page);
  });

  test('search while typing, and can be reset when nothing matches', async ({ page, harness }) => {
    await harness.open(page, '/history');
    await expect(findRows(page).first()).toBeVisible();
    await page.keyboard.press('/');
    await page.keyboard.type('rate_lim zed');
    await expect(page.getByText('6 requests')).toBeVisible();
    await expect(page).toHaveURL(/filter=rate_lim/u);
    await page.keyboard.type(' nowhere');
    await expect(page.getByText('No request matches')).toBeVisible();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Reset the filters' }).click();
    await expect(page.getByText('60 requests')).toBeVisible();
    await expect(page.getByLabel('Search the history')).toHaveValue('');
  });

  test('offer to search for a word of a prompt where it is', async ({ page, harness }) => {
    await harness.ask({ text: 'Which way is the lighthouse?' });
    await harness.open(page, '/history?filter=lighthouse');
    const main = page.getByRole('main');
    await expect(main.getByText('No request matches')).toBeVisible();
    const offer = main.getByRole('button', { name: 'Search in requests and responses' });
    await offer.last().click();
    await expect(page.getByLabel('Search the history')).toHaveValue('body:"lighthouse"');
    await expect(findRows(page)).toHaveCount(1);
    await harness.open(page, '/history?filter=status:499');
    await expect(main.getByText('No request matches')).toBeVisible();
    await expect(offer).toHaveCount(1);
  });

  test('accept a named or a custom period', async ({ page, harness }) => {
    await harness.open(page, '/history');
    await page.getByRole('button', { name: 'Time' }).click();
    await page.getByRole('radio', { name: 'Last hour' }).click();
    await expect(page.getByLabel('Search the history')).toHaveValue('since:1h');
    await expect(page.getByText('60 requests')).toBeVisible();
    await page.getByLabel('To', { exact: true }).fill('2001-01-01T00:00');
    await expect(page.getByLabel('Search the history')).toHaveValue('until:2001-01-01T00:00');
    await expect(page.getByText('0 requests')).toBeVisible();
    await page.getByLabel('From', { exact: true }).fill('2001-01-02T00:00');
    await expect(page.getByText('The end must be after the start.')).toBeVisible();
    await page.getByRole('button', { name: 'Any time' }).click();
    await expect(page.getByText('60 requests')).toBeVisible();
  });

  for (const search of [
    'filter=5&exchange=7',
    'filter=%5B1%2C2%5D',
    'filter=%E0%A4%A',
    `filter=${'x'.repeat(5_000)}`,
  ]) {
    test(`a damaged address does no harm: ${search}`, async ({ page, harness }) => {
      await harness.open(page, `/history?${search}`);
      await expect(page.getByText('60 requests')).toBeVisible();
      await expect(findRows(page).first()).toBeVisible();
    });
  }

  test('an address with a filter that means nothing shows the list, without a count', async ({
    page,
    harness,
  }) => {
    await harness.open(page, '/history?filter=status%3A4oo');
    await expect(findRows(page).first()).toBeVisible();
    await expect(page.getByText('60 requests')).toHaveCount(0);
  });

  test('the filtered list is saved as CSV and as JSONL', async ({ page, harness }) => {
    await harness.open(page, '/history?filter=status%3A4xx%20client%3AZed');
    await expect(page.getByText('6 requests')).toBeVisible();
    const saved = async (format: RegExp): Promise<Download> => {
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('menuitem', { name: format }).click();
      return await download;
    };
    const csv = await saved(/CSV/u);
    expect(csv.suggestedFilename()).toMatch(/^gatehouse-history-\d{4}-\d\d-\d\d\.csv$/u);
    expect((await readText(csv)).trim().split('\n')).toHaveLength(7);
    await expect(page.getByText('Exported 6 requests.')).toBeVisible();
    const jsonl = await saved(/JSONL/u);
    expect(jsonl.suggestedFilename()).toMatch(/\.jsonl$/u);
    const lines = (await readText(jsonl)).trim().split('\n');
    const clients = lines.map((line) => /"clientName":"(\w+)"/u.exec(line)?.[1]);
    expect(clients).toEqual(Array.from({ length: 6 }, () => 'Zed'));
  });

  test('one request is saved from its details', async ({ page, harness }) => {
    const { exchangeId } = await harness.ask({ text: 'To be saved' });
    await harness.open(page, `/history?exchange=${exchangeId}`);
    await expect(page.getByRole('button', { name: 'Export this request' })).toBeVisible();
    await expectAccessible(page);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export this request' }).click();
    await page.getByRole('menuitem', { name: /HAR/u }).click();
    const har = await download;
    expect(har.suggestedFilename()).toBe(`gatehouse-${exchangeId}.har`);
    const { log } = Har.parse(JSON.parse(await readText(har)));
    expect(log.entries).toHaveLength(1);
    expect(log.entries[0]?.request.postData?.text).toContain('To be saved');
    await expect(page.getByText('Exported 1 request.')).toBeVisible();
  });

  test('an export can be stopped', { tag: '@browser' }, async ({ page, harness }) => {
    await harness.open(page, '/history');
    const asked = Promise.withResolvers<void>();
    await page.route('**/rpc/history/export', () => asked.resolve());
    const downloads: Download[] = [];
    page.on('download', (download) => downloads.push(download));
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: /CSV/u }).click();
    await asked.promise;
    await expect(page.getByText('0 of 60')).toBeVisible();
    await expect(page.getByRole('progressbar', { name: 'Exported' })).toBeAttached();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect(page.getByRole('button', { name: 'Export' })).toBeVisible();
    expect(downloads).toEqual([]);
  });
});

test.describe('while exchanges arrive', () => {
  test.use({ harnessOptions: { seed: { more: seedOldExchanges(300) } } });

  test('the list stays in place below its top and announces new exchanges', async ({
    page,
    harness,
  }) => {
    await harness.open(page, '/history');
    await expect(findRows(page).first()).toContainText('acme/model-0');
    await findList(page).hover();
    await page.mouse.wheel(0, 1_600);
    const seen = findList(page).getByText('acme/model-60', { exact: true });
    await expect(seen).toBeVisible();
    // The first exchange with another service moves the models to the right, for the names of the services.
    const top = async () => (await seen.boundingBox())?.y;
    const before = await top();
    await harness.ask({ model: 'aurora/aurora-large' });
    await harness.ask({ model: 'aurora/aurora-large' });
    const news = page.getByRole('button', { name: '2 new' });
    await expect(news).toBeVisible();
    expect(before).toBeGreaterThan(0);
    expect(await top()).toBe(before);
    await expectAccessible(page);
    await news.click();
    await expect(news).toBeHidden();
    await expect(findRows(page).nth(1)).toContainText('aurora/aurora-large');
    await expect(findRows(page).nth(2)).toContainText('acme/model-0');
  });

  test('at its top new exchanges appear, and the selected one stays selected', async ({
    page,
    harness,
  }) => {
    await harness.open(page, '/history');
    await expect(findRows(page).first()).toContainText('acme/model-0');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await expect(findList(page).locator('[data-marked]')).toContainText('acme/model-1');
    await harness.ask({ model: 'aurora/aurora-large' });
    await expect(findRows(page).first()).toContainText('aurora/aurora-large');
    await expect(findList(page).locator('[data-marked]')).toContainText('acme/model-1');
  });

  test('an exchange that began long ago and ends now is listed', async ({ page, harness }) => {
    await harness.open(page, '/history');
    const stream = await harness.begin({ stream: true, scenario: 'gate=1' });
    await expect(findRows(page).first()).toContainText('answering');
    await harness.ask({ model: 'aurora/aurora-large' });
    await expect(findRows(page).filter({ hasText: 'aurora/aurora-large' })).toHaveCount(2);
    await harness.ask({ scenario: 'open-gate=1', model: 'aurora/aurora-small' });
    await stream.text();
    await expect(findList(page).getByText('answering')).toHaveCount(0);
    await expect(findRows(page).filter({ hasText: 'aurora/aurora-large' })).toHaveCount(2);
    await expect(findRows(page).nth(3)).toContainText('acme/model-0');
  });

  test('the details of a running exchange become those of the finished one', async ({
    page,
    harness,
  }) => {
    await harness.open(page, '/history');
    await expect(findRows(page).first()).toBeVisible();
    const stream = await harness.begin({ stream: true, scenario: 'gate=1' });
    await findRows(page).filter({ hasText: 'answering' }).click();
    const details = page.getByRole('complementary', { name: 'Chat' });
    await expect(details).toContainText('The details appear here when it has ended.');
    await harness.ask({ scenario: 'open-gate=1' });
    await stream.text();
    await expect(details).toContainText('the stream was complete after');
  });

  test('a burst of a thousand leaves the list usable', async ({ page, harness }) => {
    await harness.open(page, '/history');
    await expect(findRows(page).first()).toContainText('acme/model-0');
    const burst = (async () => {
      for (let round = 0; round < 20; round += 1) {
        await Promise.all(Array.from({ length: 50 }, () => harness.ask()));
      }
    })();
    await findRows(page).nth(3).click();
    await expect(page.getByRole('complementary')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('complementary')).toBeHidden();
    await burst;
    await expect(page.getByText('1,300 requests')).toBeVisible();
    await expect(findRows(page).first()).toContainText('aurora/aurora-large');
  });
});

test.describe('details', () => {
  test('explain a failure with advice and a link', async ({ page, harness }) => {
    await harness.ask({ model: 'no-such-model' });
    await harness.ask({ localKey: 'wrong' });
    await harness.ask({ stream: true, scenario: 'cut-stream=3' });
    await harness.open(page, '/history');
    await expect(findRows(page)).toHaveCount(3);
    const reported = page.getByRole('complementary').getByRole('alert');
    await findRows(page).nth(0).click();
    await expect(reported).toContainText('The service cut off the answer');
    await findRows(page).nth(1).click();
    await expect(reported).toContainText('The client sent a key that Gatehouse does not know');
    await expect(page.getByRole('complementary')).toContainText('nothing was sent to the service');
    await findRows(page).nth(2).click();
    await expect(reported).toContainText('The service does not know this model');
    await expect(reported).toContainText('model_not_found');
    await expectAccessible(page);
    await reported.getByRole('link', { name: 'Go to Models' }).click();
    await expect(page).toHaveURL(/\/models/u);
  });

  test('say whose request it is, and how certain its run and its numbers are', async ({
    page,
    startHarness,
  }) => {
    const run = 'run-0123456789abcdef';
    const sender = {
      ...SILENT_SENDER,
      agent: 'a1',
      agentType: 'Explore',
      requestClass: 'compaction',
      requestKind: 'auto',
      project: 'git@example.com:a/shop.git',
      toolTimes: 'Bash=742',
    };
    const media = { ...NO_MEDIA, inputAudio: 3, images: 2 };
    const usage = { ...UNKNOWN_USAGE, input: 20, output: 5, cacheWrite: 9, cacheWriteHour: 4 };
    const more = seedOldExchanges(2, (number) => ({
      run,
      sender,
      conversation: number === 0 ? 's1' : null,
      usage: { ...usage, media, source: 'estimated', reportedPart: 'input' },
    }));
    const harness = await startHarness({ seed: { more } });
    await harness.open(page, '/history?exchange=old-0000000');
    const pane = page.getByRole('complementary');
    for (const fact of [
      'Explore a1',
      'compaction, auto',
      'git@example.com:a/shop.git',
      'Bash 742 ms',
      '· written to cache9 tokens',
      '· of these for an hour4 tokens',
      '· of audio3 tokens',
      'Output5 tokens (estimated)',
      'Images sent2',
      'The service reported the input; the output is estimated by Gatehouse.',
    ])
      await expect(pane).toContainText(fact);
    await expect(pane).not.toContainText('recognised by its messages');
    await harness.open(page, '/history?exchange=old-0000001');
    await expect(pane).toContainText('Show all requests of this run (recognised by its messages)');
    await pane.getByRole('link', { name: 'Show all requests of this run' }).click();
    await expect(findRows(page)).toHaveCount(2);
  });

  test('link to the whole conversation', async ({ page, startHarness }) => {
    const more = seedOldExchanges(9, (number) => ({
      conversation: `talk-${'abc'[number % 3]}7f3`,
    }));
    const harness = await startHarness({ seed: { more } });
    await harness.open(page, '/history?exchange=old-0000000');
    await page.getByRole('button', { name: 'Show the whole conversation' }).click();
    await expect(page.getByText('3 requests')).toBeVisible();
    await expect(page.getByLabel('Search the history')).toHaveValue('talk-a7f3');
  });

  test(
    'say at 420 pixels what failed although its status is that of a success',
    { tag: '@browser' },
    async ({ page, harness }) => {
      await harness.ask({ scenario: 'html' });
      await harness.ask({ scenario: 'error-500' });
      await page.setViewportSize({ width: 420, height: 800 });
      await harness.open(page, '/history');
      const rows = findRows(page);
      const words = rows.nth(1).getByText('not JSON', { exact: true });
      await expect(words).toBeInViewport();
      const { width = 0 } = (await words.boundingBox()) ?? {};
      expect(width).toBeGreaterThan(30);
      expect(await words.evaluate(isWhole)).toBe(true);
      const number = rows.nth(0).getByText('500', { exact: true });
      expect((await number.boundingBox())?.width).toBeGreaterThan(10);
      await harness.ask({ text: 'What does it cost?' });
      const cost = findRows(page).first().locator('[data-column="cost"]');
      await expect(cost).toHaveText(/^\$[\d.]+ not charged$/u);
      await expect(cost).toBeInViewport();
      expect(await cost.evaluate(isWhole)).toBe(true);
    },
  );

  test('report that an exchange does not exist', async ({ page, harness, provoked }) => {
    provoked(/status of 404/u);
    await harness.open(page, '/history?exchange=never-was');
    const pane = page.getByRole('complementary', { name: 'No such request' });
    await expect(pane).toContainText('The request with the id “never-was” is not in the history');
    await expect(pane.getByRole('button', { name: 'Try again' })).toHaveCount(0);
  });

  test(
    'cover a narrow list and are accessible in both themes',
    { tag: '@browser' },
    async ({ page, harness }) => {
      await harness.ask({ scenario: 'error-500' });
      await page.setViewportSize({ width: 420, height: 800 });
      await page.emulateMedia({ colorScheme: 'dark' });
      await harness.open(page, '/history');
      await expectAccessible(page);
      await findRows(page).first().click();
      await expect(page.getByRole('dialog')).toContainText('The service had an error');
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toBeHidden();
    },
  );
});

test.describe('a long history', { tag: '@browser' }, () => {
  test.use({ harnessOptions: { seed: { more: seedOldExchanges(10_000) } } });

  test('scrolls to its end without a blank row', async ({ page, harness }) => {
    // It draws about 600 frames, each after the other.
    test.setTimeout(600_000);
    await harness.open(page, '/history');
    await expect(findRows(page).first()).toBeVisible();
    const { blanks, last } = await findList(page).evaluate(async (grid) => {
      const rect = grid.getBoundingClientRect();
      const isBlank = (y: number): boolean => {
        const row = document.elementFromPoint(rect.left + 40, y)?.closest('[role="row"]');
        return row === null || row === undefined || row.textContent === '';
      };
      let found = 0;
      let still = 0;
      for (let place = -1; still < 60; still = place === grid.scrollTop ? still + 1 : 0) {
        place = grid.scrollTop;
        grid.scrollTop += 640;
        // The scrolling is heard in the next frame and drawn by the one after.
        await new Promise((resolve) => requestAnimationFrame(resolve));
        await new Promise((resolve) => requestAnimationFrame(resolve));
        for (let y = rect.top + 40; y < rect.bottom - 4; y += 32) if (isBlank(y)) found += 1;
      }
      return {
        blanks: found,
        last: [...grid.querySelectorAll('[role="row"]')].at(-1)?.textContent,
      };
    });
    expect(last).toContain('acme/model-9999');
    expect(blanks).toBe(0);
  });

  test('works with the keyboard alone', async ({ page, harness }) => {
    await harness.open(page, '/history');
    await expect(findRows(page).first()).toBeVisible();
    await page.keyboard.press('/');
    await page.keyboard.type('cline');
    await expect(page).toHaveURL(/filter=cline/u);
    await expect(page.getByText('10,000 requests')).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(findList(page)).toBeFocused();
    const marked = findList(page).locator('[data-marked]');
    await expect(marked).toContainText('acme/model-0');
    for (const key of ['j', 'ArrowDown', 'j', 'k']) await page.keyboard.press(key);
    await expect(marked).toContainText('acme/model-2');
    await page.keyboard.press('Enter');
    const details = page.getByRole('complementary');
    await expect(details).toContainText('acme/model-2');
    await page.keyboard.press('j');
    await expect(details).toContainText('acme/model-3');
    await expect(page).toHaveURL(/exchange=old-0000003/u);
    await page.keyboard.press('Escape');
    await expect(details).toBeHidden();
    await expect(findList(page)).toBeFocused();
    await page.keyboard.press('End');
    await expect(marked).not.toContainText('acme/model-3');
    await page.keyboard.press('Home');
    await expect(marked).toContainText('acme/model-0');
    await expect(marked).toHaveAttribute('aria-rowindex', '2');
  });
});

test.describe('hostile text', () => {
  const HOSTILE = '<img src=x onerror="document.title=\'stolen\'"><script>alert(1)</script>';

  test('from clients and the service is shown as text and never run', async ({
    page,
    startHarness,
  }) => {
    const hostile = {
      pathReceived: `/v1/${HOSTILE}`,
      pathSent: `/v1/${HOSTILE}`,
      clientName: HOSTILE,
      modelAsked: HOSTILE,
      modelSent: HOSTILE,
      modelServed: HOSTILE,
      conversation: HOSTILE,
      userAgent: HOSTILE,
      status: 400,
      errorCode: HOSTILE,
      errorMessage: HOSTILE,
      repairs: [{ code: 'model-id', before: HOSTILE, after: HOSTILE, advice: HOSTILE }],
    };
    const head = [HOSTILE, HOSTILE];
    const heads = { received: head, sent: head, answered: head, returned: head };
    const harness = await startHarness({
      seed: { more: seedOldExchanges(1, () => hostile, heads) },
    });
    page.on('dialog', () => {
      throw new Error('A dialog was opened.');
    });
    await harness.open(page, '/history');
    await findRows(page).first().click();
    const details = page.getByRole('complementary');
    await expect(details.getByRole('row').first()).toContainText(HOSTILE);
    await expect(details.getByRole('alert')).toContainText(HOSTILE);
    await page.getByRole('combobox', { name: 'Model' }).click();
    await expect(page.getByRole('option')).toContainText(HOSTILE);
    await page.getByRole('option').click();
    await expect(page.getByText('1 request', { exact: true })).toBeVisible();
    await expect(page.locator('img[src="x"]')).toHaveCount(0);
    await expect(page.locator('a[href*="img"]')).toHaveCount(0);
    await expect(page).toHaveTitle('History · Gatehouse');
  });
});
