import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openHistory } from '../../../gateway/history/history.ts';
import { openStore } from '../../../gateway/store/store.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';
import { openTestMachine, type TestMachine } from '../../kit/process/test-machine.ts';

let machine: TestMachine;
beforeEach(async () => {
  machine = await openTestMachine();
});
afterEach(async () => await machine[Symbol.asyncDispose]());

async function runWell(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await machine.run(['prices', ...args]);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

async function refusal(...args: string[]) {
  const { code, stdout, stderr } = await machine.run(['prices', ...args]);
  expect(stdout).toBe('');
  return [code, stderr];
}

/** Stores exchanges without a cost of a model with a price somewhere, and of another. */
async function recordUnpriced(count: number): Promise<void> {
  const fields = Array.from({ length: count }, (_, at) => ({
    startedAt: Date.now() - 1_000 * at,
    modelSent: at % 2 === 0 ? 'anthropic/claude-sonnet-4.5' : 'acme/large',
  }));
  await record(...fields);
}

/** Stores exchanges without a cost. */
async function record(...all: readonly Record<string, unknown>[]): Promise<void> {
  const store = await openStore(join(machine.dataDir, 'gatehouse.db'));
  const history = openHistory({
    store,
    now: Date.now,
    redact: String,
    log: () => undefined,
    getRetention: null,
  });
  const cost = { amount: null, source: 'unpriced', priceId: null };
  for (const [at, fields] of all.entries())
    history.record(anExchange(`e${at}`, { cost, ...fields }));
  await history.close();
  await store.close();
}

test('a price is set, changed, listed, exported, imported and removed', async () => {
  expect(await runWell('list')).toContain('There is no price yet');
  expect(await runWell('set', 'acme/*', '--input', '3', '--output', '15')).toBe(
    'acme/*: input $3.00, output $15.00 per million tokens.\nA running Gatehouse knows within a second.\n',
  );
  await runWell('set', 'acme/*', '--cache-read', '0.125', '--above', '200000', '--input', '6');
  await runWell('set', 'h3', '--video-second', '480p=0.05', '--video-second', '*=0.1');
  await runWell('set', 'acme/*', '--output', '16', '--cache-write', 'none');
  expect(await machine.json(['prices', 'list', '--json'])).toMatchObject({
    currency: 'USD',
    prices: [
      {
        model: 'acme/*',
        prices: { input: 3_000_000, output: 16_000_000, cacheRead: null },
        tiers: [
          {
            aboveInput: 200_000,
            prices: { input: 6_000_000, output: 15_000_000, cacheRead: 125_000 },
          },
        ],
      },
      { model: 'h3', prices: { videoSecond: { '480p': 50_000, '*': 100_000 } } },
    ],
  });
  const list = await runWell('list');
  expect(list).toMatch(/^acme\/\* +\$3\.00 +\$16\.00 /mu);
  expect(list).toMatch(/above 200,000 tokens +\$6\.00 +\$15\.00 +\$0\.125/u);

  for (const format of ['csv', 'json']) {
    const file = join(machine.dataDir, `prices.${format}`);
    const text = await runWell('export', '--format', format);
    await writeFile(file, text);
    await runWell('remove', 'acme/*');
    await runWell('remove', 'h3');
    expect(await runWell('import', file, '--dry-run')).toContain('nothing was changed');
    expect(await runWell('list')).toContain('There is no price yet');
    expect(await runWell('import', file)).toContain('2 prices imported');
    expect(await runWell('export', '--format', format)).toBe(text);
  }
});

test('the price of a resolution is changed and cleared, and the others stay', async () => {
  await runWell('set', 'h3', '--video-second', '480p=0.05', '--video-second', '*=0.1');
  await runWell('set', 'h3', '--above', '9', '--video-second', '720p=0.3');
  expect(await runWell('set', 'h3', '--video-second', '480p=0.07', '--request', '1')).toContain(
    'h3: $1.00 per request; $0.07 per second of video in 480p; $0.10 per second of video in any other resolution.',
  );
  expect(await machine.json(['prices', 'list', '--json'])).toMatchObject({
    prices: [
      {
        prices: { request: 1_000_000, videoSecond: { '480p': 70_000, '*': 100_000 } },
        tiers: [{ prices: { videoSecond: { '480p': 50_000, '*': 100_000, '720p': 300_000 } } }],
      },
    ],
  });
  await runWell('set', 'h3', '--video-second', '*=none');
  expect(JSON.stringify(await machine.json(['prices', 'list', '--json']))).toContain(
    '"videoSecond":{"480p":70000}',
  );
});

test('a wrong call is refused with a sentence', async () => {
  expect(await refusal('set', 'm')).toEqual([2, expect.stringContaining('at least one amount')]);
  expect(await refusal('set', 'm', '--input', '3,5')).toEqual([
    2,
    expect.stringContaining('--input takes an amount'),
  ]);
  expect(await refusal('set', 'm', '--input', '3', '--above', '9')).toEqual([
    2,
    expect.stringContaining('set that without --above first'),
  ]);
  expect(await refusal('set', ' ', '--input', '3')).toEqual([
    expect.any(Number),
    expect.stringContaining('Enter a model.'),
  ]);
  expect(await refusal('set', 'm', '--video-second', '0.05')).toEqual([
    2,
    expect.stringContaining('480p=0.05'),
  ]);
  expect(await refusal('set', 'm', '--input', '3', '--from', 'soon')).toEqual([
    2,
    expect.stringContaining('--from takes a date'),
  ]);
  expect(await refusal('remove', 'm')).toEqual([1, expect.stringContaining('no such price of m')]);
  expect(await refusal('import', 'absent.csv')).toEqual([
    1,
    expect.stringContaining('absent.csv cannot be read'),
  ]);
  const file = join(machine.dataDir, 'wrong.csv');
  await writeFile(file, 'model,input\nm,three\n');
  expect(await refusal('import', file)).toEqual([
    1,
    expect.stringContaining('Line 2, input: "three" is not an amount.'),
  ]);
});

test('suggestions are shown, used only on request, and applied to earlier exchanges', async () => {
  await runWell('list');
  await recordUnpriced(600);
  const shown = await runWell('suggest');
  expect(shown.replaceAll(/\s+/gu, ' ')).toContain(
    'anthropic/claude-sonnet-4.5: input $3.00, output $15.00, cache read $0.30, cache write $3.75, cache write for an hour $6.00 per million tokens (Anthropic, genai-prices 0.1.8 of 2026-09-23)',
  );
  expect(shown).toContain('acme/large: no suggestion');
  expect(await runWell('list')).toContain('There is no price yet');
  await runWell('suggest', '--adopt');
  await runWell('set', 'acme/large', '--input', '1', '--output', '2');

  const usage = async () => (await machine.run(['usage', '--of', 'services'])).stdout;
  expect((await usage()).replaceAll(/\s+/gu, ' ')).toMatch(
    /600 requests were made before there was a price.*prices apply --since \d{4}-\d{2}-\d{2}/u,
  );
  const planned = await runWell('apply', '--since', '1d', '--dry-run');
  // 300 × (6 × 3 + 4 × 0.3 + 5 × 15 ⇒ 94) and 300 × (10 × 1 + 5 × 2 = 20) millionths.
  expect(planned.replaceAll(/\s+/gu, ' ')).toContain(
    'The cost of 600 of 600 exchanges changes; the total goes from $0.00 to $0.034. Nothing was changed.',
  );
  expect(planned).toContain('Limits keep what they have counted');
  expect(planned).toMatch(/^anthropic\/claude-sonnet-4\.5 +300 +unknown +\$0\.028$/mu);
  expect(planned).toMatch(/^acme\/large +300 +unknown +\$0\.0060$/mu);
  const asked = await machine.run(['prices', 'apply', '--since', '1d']);
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('--yes')]);
  const done = await machine.json(['prices', 'apply', '--since', '1d', '--yes', '--json']);
  expect(done).toMatchObject({ checked: 600, changed: 600, before: 0, after: 34_200, ended: true });
  expect(await runWell('apply', '--since', '1d', '--yes')).toContain('The cost of 0 of 600');
  expect(await usage()).not.toContain('before there was a price');
});

test('the cost of an earlier video is computed from its length, too', async () => {
  await runWell('list');
  const video = { seconds: 5, resolution: '480p' };
  const startedAt = Date.now();
  await record({ startedAt, route: 'video-submit', modelSent: 'acme/film', video });
  await runWell('set', 'acme/*', '--input', '1', '--output', '2');
  expect((await runWell('suggest')).replaceAll(/\s+/gu, ' ')).toContain(
    `acme/film: no price for the videos that it made. To set one: gatehouse prices set 'acme/*' --video-second '*'=AMOUNT`,
  );
  await runWell('set', 'acme/*', '--video-second', '480p=0.05');
  const apply = ['prices', 'apply', '--since', '1d', '--yes', '--json'];
  expect(await machine.json(apply)).toMatchObject({ changed: 1, before: 0, after: 250_000 });
  expect(await machine.json(apply)).toMatchObject({ changed: 0, before: 250_000, after: 250_000 });
});

test('a Gatehouse that runs uses a changed price within about a second', async () => {
  await using serving = await machine.serve(['--no-ui']);
  const ask = async () => {
    const response = await fetch(`http://127.0.0.1:${serving.port}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${serving.localKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        model: 'aurora/aurora-small',
        messages: [{ role: 'user', content: 'one' }],
      }),
    });
    await response.text();
    const id = response.headers.get('x-gatehouse-exchange') ?? '';
    await expect.poll(async () => (await machine.run(['show', id])).code).toBe(0);
    return JSON.stringify(await machine.json(['show', id, '--json']));
  };
  // The play price of the sandbox.
  expect(await ask()).toContain('"priceId":-2');
  await runWell('set', 'aurora/*', '--request', '1');
  await expect.poll(ask).toContain('"amount":1000000,"source":"reported"');
});
