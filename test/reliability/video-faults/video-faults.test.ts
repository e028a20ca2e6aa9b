import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { runScenarios } from './run-scenarios.ts';

const RUNS = 500;
const seed = Number(process.env['FAULT_SEED'] ?? randomInt(2 ** 31));

test(`after ${RUNS} kills and network cuts nothing is lost and nothing is paid twice (FAULT_SEED=${seed})`, async () => {
  const tally = await runScenarios({ runs: RUNS, seed, atOnce: availableParallelism() * 2 });
  expect(tally.errors).toEqual([]);
  expect(tally.faulty).toBeGreaterThanOrEqual(RUNS);
  expect(tally.videos).toBeGreaterThan(RUNS / 10);
}, 1_500_000);
