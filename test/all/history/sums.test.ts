import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type History, openHistory } from '../../../gateway/history/history.ts';
import { openStore } from '../../../gateway/store/store.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';
import { NOON } from '../../kit/history/history-folder.ts';
import { expectAgreement } from '../../kit/history/expect-agreement.ts';

async function countOf(history: History): Promise<number> {
  return await history.count({}, 100_000);
}

const DAY = 24 * 3_600_000;

const ROUTES = ['chat', 'messages', 'models'];

const COSTS = [
  { amount: 1_234, source: 'reported', priceId: 1 },
  { amount: 99, source: 'estimated', priceId: 2 },
  { amount: null, source: 'unpriced', priceId: null },
  null,
];

type Act =
  | { readonly act: 'record'; readonly count: number; readonly daysAgo: number }
  | { readonly act: 'erase' }
  | { readonly act: 'prune'; readonly days: number };

const anAct: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant('record' as const),
      count: fc.constantFrom(1, 7, 250, 500),
      daysAgo: fc.integer({ min: 0, max: 5 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('erase' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant('prune' as const),
      days: fc.integer({ min: 1, max: 4 }),
    }),
  },
);

test('rows and totals agree at every moment while two connections record, erase and prune', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-sums-'));
  const property = fc.asyncProperty(
    fc.array(fc.tuple(fc.integer({ min: 0, max: 1 }), anAct), { minLength: 2, maxLength: 12 }),
    fc.uuid(),
    async (acts, name) => {
      const file = join(folder, `${name}.db`);
      const stores = [await openStore(file), await openStore(file)];
      let days = 90;
      const histories = stores.map((store) =>
        openHistory({
          store,
          now: () => NOON,
          redact: String,
          log: () => undefined,
          getRetention: () => ({ days, headersDays: 7 }),
        }),
      );
      const outside = new DatabaseSync(file, { timeout: 5_000 });
      let id = 0;
      const run = async (act: Act, history: History | undefined): Promise<void> => {
        if (act.act === 'erase') await history?.erase();
        if (act.act === 'prune') {
          ({ days } = act);
          await history?.prune();
        }
        if (act.act !== 'record') return;
        for (let at = 0; at < act.count; at += 1) {
          id += 1;
          const startedAt = NOON - act.daysAgo * DAY - (id % 50);
          const usage = { ...anExchange('x').usage, reasoning: id % 3 === 0 ? id : null };
          const modelSent = id % 2 === 0 ? 'acme/large' : 'acme/small';
          const cost = COSTS[id % COSTS.length];
          const more = {
            route: ROUTES[id % ROUTES.length],
            durationMs: 900 + id * 7,
            firstByteMs: (id * 37) % 900,
          };
          history?.record(anExchange(`e${id}`, { startedAt, modelSent, usage, cost, ...more }));
        }
        await history?.flush();
      };
      const state = { running: acts.length };
      const all = Promise.all(
        acts.map(async ([which, act]) => {
          await run(act, histories[which]).finally(() => (state.running -= 1));
        }),
      );
      while (state.running > 0) {
        expectAgreement(outside);
        await countOf(histories[0] ?? expect.fail());
      }
      await all;
      expectAgreement(outside);
      outside.close();
      for (const history of histories) await history.close();
      for (const store of stores) await store.close();
    },
  );
  await fc.assert(property, { numRuns: 15 });
  await rm(folder, { recursive: true, force: true });
});
