import { isDeepStrictEqual } from 'node:util';
import type { Random } from '../../kit/random.ts';
import { Coverage } from './coverage.ts';
import { mutate } from './mutate.ts';
import type { Target } from './target.ts';

export interface FuzzOptions {
  readonly target: Target;
  /** Inputs saved by earlier runs, tried first. */
  readonly corpus: readonly Buffer[];
  readonly cases: number;
  readonly random: Random;
}

export interface FuzzResult {
  readonly cases: number;
  /** Number of functions and branches reached. */
  readonly reached: number;
  /** Inputs that reached more than the corpus and the seeds. */
  readonly found: readonly Buffer[];
  /** The first input that violated an invariant. */
  readonly failure: { readonly input: Buffer; readonly error: unknown } | null;
}

/**
 * Runs the corpus, then mutations of all inputs that reached something new, until an invariant fails or the number of cases is
 * reached.
 */
export async function fuzz({ target, corpus, cases, random }: FuzzOptions): Promise<FuzzResult> {
  const coverage = new Coverage();
  coverage.take();
  const seeds = [...target.seeds.map((seed) => Buffer.from(seed)), ...corpus];
  const pool = seeds.filter(
    (seed, at) => seeds.findIndex((one) => isDeepStrictEqual(one, seed)) === at,
  );
  const found: Buffer[] = [];
  const result = (tried: number, failure: FuzzResult['failure']): FuzzResult => ({
    cases: tried,
    reached: coverage.reached,
    found,
    failure,
  });
  const firstMutation = pool.length;
  for (let tried = 0; tried < cases; tried += 1) {
    const known = pool[tried];
    const input =
      tried < firstMutation && known !== undefined
        ? known
        : mutate(
            { input: random.pick(pool), other: random.pick(pool), words: target.words },
            random,
          );
    try {
      await target.run(input);
    } catch (error) {
      return result(tried + 1, { input, error });
    }
    if (coverage.take() && tried >= firstMutation) {
      pool.push(input);
      found.push(input);
    }
  }
  return result(cases, null);
}
