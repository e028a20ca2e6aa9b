import { Pool } from 'undici';
import type { Target } from '../target.ts';
import { callOnce } from './in-turn.ts';

export interface PacedPlan {
  readonly target: Target;
  readonly body: string;
  readonly expected: string;
  readonly perSecond: number;
  readonly seconds: number;
}

const TICK_MS = 10;

/** Sends requests at a fixed rate, without waiting for responses. Returns the number of answered requests; throws on a wrong answer. */
export async function callPaced(plan: PacedPlan): Promise<number> {
  const { target, perSecond, seconds } = plan;
  const pool = new Pool(target.url, { connections: 64 });
  const start = performance.now();
  const all: Promise<unknown>[] = [];
  try {
    while (all.length < perSecond * seconds) {
      const due = Math.min(perSecond * seconds, ((performance.now() - start) / 1000) * perSecond);
      while (all.length < due) all.push(callOnce(pool, target, plan));
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    }
    await Promise.all(all);
  } finally {
    await pool.destroy();
  }
  return all.length;
}
