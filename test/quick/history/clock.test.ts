import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openHistory } from '../../../gateway/history/history.ts';
import { openStore } from '../../../gateway/store/store.ts';
import { openTrustedClock } from '../../../gateway/store/trusted-clock.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';
import { NOON } from '../../kit/history/history-folder.ts';

const DAY = 24 * 3_600_000;
const HEADS = { received: ['a', 'b'], sent: null, answered: null, returned: null };

function keep() {
  return { days: 90, headersDays: 7 };
}

interface Run {
  readonly ids: readonly string[];
  readonly heads: number;
  readonly logged: readonly string[];
}

/** Starts with this time of the machine's clock, and runs work. */
async function start(
  file: string,
  at: number,
  during: { readonly confirm?: number; readonly record?: string } = {},
): Promise<Run> {
  const store = await openStore(file);
  const logged: string[] = [];
  const log = (_level: string, message: string, fields = {}) =>
    void logged.push(`${message} ${JSON.stringify(fields)}`);
  const now = () => at;
  const clock = await openTrustedClock({ store, log, now });
  const history = openHistory({ store, now, redact: String, log, getRetention: keep, clock });
  if (during.confirm !== undefined) clock.confirm(during.confirm);
  if (during.record !== undefined) {
    history.record(anExchange(during.record, { startedAt: at }), HEADS);
    await history.flush();
  }
  await history.prune();
  const ids = (await history.list({ limit: 100 })).map(({ id }) => id);
  const kept = await store.db.selectFrom('exchange_head').select('seq').execute();
  await history.close();
  await store.close();
  return { ids, heads: kept.length, logged };
}

async function inFolder(work: (file: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-clock-'));
  await work(join(folder, 'gatehouse.db'));
  await rm(folder, { recursive: true, force: true });
}

test('a start with the clock 100 days ahead deletes nothing and logs it, even if exchanges were recorded with it', async () => {
  await inFolder(async (file) => {
    await start(file, NOON, { record: 'a' });
    const ahead = await start(file, NOON + 100 * DAY);
    expect(ahead).toMatchObject({ ids: ['a'], heads: 1 });
    expect(ahead.logged.join()).toContain('far ahead');
    await start(file, NOON + 100 * DAY, { record: 'b' });
    const again = await start(file, NOON + 100 * DAY + 1);
    expect(again).toMatchObject({ ids: ['b', 'a'], heads: 2 });
    // The clock is correct again.
    expect((await start(file, NOON + DAY)).ids).toEqual(['b', 'a']);
  });
});

test('a service that reports an equal time confirms it, and the number of deleted exchanges is logged', async () => {
  await inFolder(async (file) => {
    await start(file, NOON, { record: 'a' });
    const later = NOON + 100 * DAY;
    const run = await start(file, later, { confirm: later - 2_000 });
    expect(run).toMatchObject({ ids: [], heads: 0 });
    expect(run.logged.join()).toContain(
      'Old exchanges were deleted. {"exchanges":1,"olderThanDays":90}',
    );
  });
});

test('a service alone cannot move this clock forward, so nothing is deleted', async () => {
  await inFolder(async (file) => {
    await start(file, NOON, { record: 'a' });
    expect((await start(file, NOON, { confirm: NOON + 500 * DAY })).ids).toEqual(['a']);
    // A future date cannot prepare a later jump either.
    expect((await start(file, NOON + 100 * DAY)).ids).toEqual(['a']);
  });
});

test('exchanges recorded while the clock is set back are not treated as old afterwards', async () => {
  await inFolder(async (file) => {
    await start(file, NOON, { record: 'a' });
    await start(file, NOON - 300 * DAY, { record: 'set-back' });
    const right = await start(file, NOON + DAY);
    expect(right.ids).toEqual(['a', 'set-back']);
    expect(right.heads).toBe(2);
  });
});

test('a clock that advances day by day is trusted without any service', async () => {
  await inFolder(async (file) => {
    await start(file, NOON, { record: 'a' });
    let run: Run | null = null;
    for (let days = 2; days <= 92; days += 2) run = await start(file, NOON + days * DAY);
    expect(run?.ids).toEqual([]);
  });
});
