import type { Page } from '@playwright/test';
import { openSandbox } from '../../../../sandbox/server.ts';
import { upstreamFormFor } from '../../../kit/gateway/upstream-form.ts';
import { expectAccessible } from '../../../kit/ui/axe.ts';
import type { Harness } from '../../../kit/ui/harness.ts';
import { expect, test } from '../../../kit/ui/kit.ts';
import type { TestRequest } from '../../../kit/ui/requests.ts';

const TASK = { role: 'user', content: 'Mend the parser.' };
const MORE = [
  { role: 'assistant', content: 'It is mended.' },
  { role: 'user', content: 'Mend the lexer.' },
];

/** Asks as an agent whose system prompt names the day. */
async function ask(
  harness: Harness,
  day: string,
  turns: number,
  more: Pick<TestRequest, 'headers' | 'scenario'> = {},
) {
  const system = { role: 'system', content: `${'Work well. '.repeat(600)}\nToday is ${day}.` };
  const messages = [system, TASK, ...Array.from({ length: turns }, () => MORE).flat()];
  const body = { model: 'aurora/aurora-small', messages };
  return await harness.ask({ body, ...more });
}

/** Changes whether the page is seen, as switching to another tab does. */
async function setVisible(page: Page, isVisible: boolean): Promise<void> {
  await page.evaluate(
    (state) => {
      Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    },
    isVisible ? 'visible' : 'hidden',
  );
}

test('a run says why its cache missed, and so does its request', async ({ page, harness }) => {
  await ask(harness, '2026-03-01', 0, { scenario: 'caches-input=50' });
  const { exchangeId } = await ask(harness, '2026-03-02', 1);
  await harness.open(page, '/history/runs');
  const run = page.getByRole('article', { name: TASK.content });
  await expect(run).toContainText(/The cache missedonce, [\d,]+ tokens/u);
  const note = run.getByRole('alert').filter({ hasText: 'The cache missed' });
  await expect(note).toContainText('The system prompt changed at character 6,620, a date.');
  await expect(note.getByRole('definition')).toHaveText([
    'Today is 2026-03-01.',
    'Today is 2026-03-02.',
  ]);
  await expect(note).toContainText('This is at byte 6,');
  // The latest step left nothing in a cache.
  await expect(run.getByRole('timer')).toHaveCount(0);
  await expectAccessible(page);
  await harness.open(page, `/history?exchange=${exchangeId}`);
  await expect(page.getByRole('alert').filter({ hasText: 'The cache missed' })).toContainText(
    'a date',
  );
});

test('a service is set to say why its cache missed, and its words are in the run and at the request', async ({
  page,
  harness,
}) => {
  await using service = await openSandbox();
  const { upstreams } = await harness.calls();
  const form = upstreamFormFor(service.url, { name: 'Explains' });
  await upstreams.add({ ...form, key: service.key, place: 'file', use: true, untested: true });
  await harness.open(page, '/settings');
  await page.getByRole('button', { name: 'More for Explains' }).click();
  await page.getByRole('menuitem', { name: 'Edit…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Connection' }).click();
  const asking = dialog.getByRole('switch', { name: 'Ask why the prompt cache missed' });
  await expect(asking).not.toBeChecked();
  await asking.click();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(dialog).toHaveCount(0);
  const send = async (system: string) => {
    const messages = [TASK];
    return await harness.ask({
      protocol: 'messages',
      headers: { 'x-claude-code-session-id': 'session-1' },
      body: { model: 'sandbox/explains-cache', max_tokens: 9, system, messages },
    });
  };
  await send('Work well.');
  const { exchangeId } = await send('Work fast.');
  const words = 'The service says: the system prompt changed (6 tokens missed).';
  await harness.open(page, '/history/runs');
  await expect(page.getByRole('article', { name: TASK.content })).toContainText(words);
  await expectAccessible(page);
  await harness.open(page, `/history?exchange=${exchangeId}`);
  await expect(page.getByText(words)).toBeVisible();
});

test('a cache does not count down while a request of its run reads it', async ({
  page,
  harness,
}) => {
  const headers = { 'x-session-id': 'session-1' };
  await ask(harness, '2026-03-01', 0, { headers });
  await ask(harness, '2026-03-01', 1, { headers, scenario: 'caches-input=50' });
  await harness.open(page, '/history/runs');
  const timer = page.getByRole('timer');
  await expect(timer).toContainText('cold in');
  const answer = await harness.begin({ stream: true, headers, scenario: 'gate=1' });
  await expect(timer).toHaveText('in use right now');
  await harness.ask({ scenario: 'open-gate=1' });
  await answer.text();
  await expect(timer).not.toContainText('in use');
});

test('the time until the cache is cold counts down while it is seen, whatever the clock says', async ({
  page,
  harness,
}) => {
  await ask(harness, '2026-03-01', 0);
  const { exchangeId } = await ask(harness, '2026-03-01', 1, { scenario: 'caches-input=50' });
  const { history } = await harness.calls();
  const isPlaced = async () => (await history.runs({ filter: {}, limit: 9 })).runs[0]?.steps;
  await expect.poll(isPlaced).toBe(2);
  const [run] = (await history.runs({ filter: {}, limit: 1 })).runs;
  const { sequences } = await history.run({ id: run!.id });
  const step = sequences[0]?.steps.find(({ id }) => id === exchangeId);
  const usedAt = step!.startedAt + (step!.firstByteMs ?? 0);
  await page.clock.install({ time: usedAt });
  await harness.open(page, '/history/runs');
  const timer = page.getByRole('timer');
  await expect(timer).toContainText('cold in');
  await page.clock.pauseAt(usedAt + 100_000);
  await expect(timer).toHaveText('cold in 3:20');
  await expect(timer).toHaveAttribute('aria-live', 'off');
  const box = await timer.locator('xpath=../..').boundingBox();
  await page.clock.runFor(1_000);
  await expect(timer).toHaveText('cold in 3:19');
  await page.clock.setSystemTime(usedAt - 3_600_000);
  await page.clock.runFor(1_000);
  await expect(timer).toHaveText('cold in 3:18');
  await setVisible(page, false);
  await page.clock.runFor(8_000);
  await expect(timer).toHaveText('cold in 3:18');
  await setVisible(page, true);
  await expect(timer).toHaveText('cold in 3:10');
  await page.clock.setSystemTime(usedAt + 310_000);
  await page.clock.runFor(1_000);
  await expect(timer).toHaveText(/^cold since \d\d:\d\d$/u);
  expect(await timer.locator('xpath=../..').boundingBox()).toEqual(box);
  // Axe waits for pictures, which a clock at rest does not show.
  await page.clock.resume();
  await expectAccessible(page);
});
