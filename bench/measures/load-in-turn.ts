import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { ANSWER_BODY, REQUEST_BODY } from '../data/exchange.ts';
import type { Bench } from '../measure.ts';
import { Figures, rotate } from '../rounds.ts';
import type { Target } from '../target.ts';
import type { TestBed } from '../test-bed.ts';
import { hasWrk, runWrk } from '../wrk.ts';

/** A process is at rest when it used less than a fiftieth of a processor for so long. */
const REST_MS = 1_000;
const MAX_REST_US = 20_000;
/** A process that is never at rest fails the measure after so many of these times. */
const MAX_WAITS = 240;

/** The figures of targets under the same load. */
export interface LoadFigures {
  /** Requests per second. */
  readonly rates: Figures;
  /** Processor time for a request during the load, in microseconds. */
  readonly costs: Figures;
  /** Its part on the main thread. */
  readonly mainCosts: Figures;
  /** What a request costs after the load, until the process is at rest. */
  readonly laterCosts: Figures;
  /** Requests that the gateway answered in the rounds. */
  readonly answered: number;
}

/**
 * Loads the targets one after the other in rounds, each when the one before is at rest: so none pays for the work of another. Each
 * is warmed up in every round, because V8 drops much of the compiled code of a process at rest.
 */
export async function loadInTurn(testBed: TestBed, { scale }: Bench): Promise<LoadFigures> {
  const { connections, warmUp, seconds } = scale.throughput;
  const load = createLoader(testBed, connections);
  const figures = {
    rates: new Figures(),
    costs: new Figures(),
    mainCosts: new Figures(),
    laterCosts: new Figures(),
  };
  let answered = 0;
  for (let round = 0; round < scale.rounds; round += 1) {
    for (const target of rotate(testBed.targets, round)) {
      const earlier = warmUp === 0 ? 0 : (await load(target, warmUp)).requests;
      const before = await readTimes(testBed, target);
      const { requests, perSecond } = await load(target, seconds);
      const after = await readTimes(testBed, target);
      await waitForRest(testBed, target);
      const atRest = await readTimes(testBed, target);
      figures.rates.add(target.name, perSecond);
      const add = (to: Figures, from: number | null, until: number | null, count: number): void => {
        if (from !== null && until !== null) to.add(target.name, (until - from) / count);
      };
      add(figures.costs, before.all, after.all, requests);
      add(figures.mainCosts, before.main, after.main, requests);
      add(figures.laterCosts, after.all, atRest.all, earlier + requests);
      if (target.name === 'gateway') answered += requests;
    }
  }
  return { ...figures, answered };
}

/** Waits until the process of a target, if it has one, does nothing any more. */
export async function waitForRest(testBed: TestBed, { name }: Target): Promise<void> {
  for (let wait = 0; wait < MAX_WAITS; wait += 1) {
    const before = await testBed.processorTime(name);
    if (before === null) return;
    await pause(REST_MS);
    const after = await testBed.processorTime(name);
    if (after !== null && after - before <= MAX_REST_US) return;
  }
  throw new Error(`The process of ${name} is not at rest after its load.`);
}

async function readTimes(testBed: TestBed, { name }: Target) {
  return { all: await testBed.processorTime(name), main: await testBed.mainThreadTime(name) };
}

const Counted = z.object({ requests: z.number(), perSecond: z.number() });
type Load = (target: Target, seconds: number) => Promise<z.infer<typeof Counted>>;

/** Creates the load on the given number of connections: by `wrk` where it is installed. */
export function createLoader({ caller }: TestBed, connections: number): Load {
  const exchange = { body: REQUEST_BODY, expected: ANSWER_BODY, connections };
  if (hasWrk()) return async (target, seconds) => await runWrk({ ...exchange, target, seconds });
  return async (target, seconds) =>
    await caller.call('saturated', { ...exchange, target, seconds }, Counted);
}
