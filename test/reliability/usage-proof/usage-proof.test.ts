import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { runProof } from './run-proof.ts';

const seed = Number(process.env['PROOF_SEED'] ?? randomInt(1, 2 ** 31));

test(`usage equals the books of the sandbox, also after a kill (PROOF_SEED=${seed})`, async () => {
  const { counts, errors, limits } = await runProof({
    seed,
    exchanges: 600,
    eachRun: 300,
    atOnce: 24,
  });
  expect(errors).toEqual([]);
  expect(counts['kills']).toBe(1);
  expect(counts['with reported usage']).toBeGreaterThan(100);
  expect(counts['with estimated usage']).toBeGreaterThan(20);
  expect(counts['refused by a limit']).toBeGreaterThan(0);
  expect(limits.length).toBeGreaterThan(5);
}, 120_000);
