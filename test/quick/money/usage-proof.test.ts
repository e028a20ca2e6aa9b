import { expect, test } from 'vitest';
import { runProof } from '../../reliability/usage-proof/run-proof.ts';

/** The same in every run; `npm run usage-proof` takes others, and far more exchanges. */
const SEED = 2_026;

test('usage, costs and limits equal the books of the sandbox, also after a kill', async () => {
  const { counts, errors, limits } = await runProof({
    seed: SEED,
    exchanges: 400,
    eachRun: 200,
    atOnce: 24,
  });
  expect(errors).toEqual([]);
  expect(counts).toMatchObject({ exchanges: 400, kills: 1 });
  expect(counts['with reported usage']).toBeGreaterThan(100);
  expect(counts['with estimated usage']).toBeGreaterThan(10);
  expect(counts['videos']).toBeGreaterThan(0);
  expect(limits.length).toBeGreaterThan(5);
});
