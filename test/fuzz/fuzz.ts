import { isDeepStrictEqual } from 'node:util';
import type { Chance } from '../videos/faults/chance.ts';
import { Coverage } from './coverage.ts';
import { mutate } from './mutate.ts';
import type { Target } from './target.ts';

export interface FuzzOptions {
  readonly target: Target;
  /** Inputs that earlier runs kept, tried first. */
  readonly corpus: readonly Buffer[];
  readonly cases: number;
  readonly chance: Chance;
}

export interface FuzzResult {
  readonly cases: number;
  /** Functions and branches that were reached. */
  readonly reached: number;
  /** Inputs that went where the corpus and the seeds did not. */
  readonly found: readonly Buffer[];
  /** The first input for which a promise did not hold. */
  readonly failure: { readonly input: Buffer; readonly error: unknown } | null;
}

/** Tries the corpus, then changes of whatever led somewhere new, until a promise breaks or there were so many cases. */
export async function fuzz({ target, corpus, cases, chance }: FuzzOptions): Promise<FuzzResult> {
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
  const begun = pool.length;
  for (let tried = 0; tried < cases; tried += 1) {
    const known = pool[tried];
    const input =
      tried < begun && known !== undefined
        ? known
        : mutate(
            { input: chance.pick(pool), other: chance.pick(pool), words: target.words },
            chance,
          );
    try {
      await target.run(input);
    } catch (error) {
      return result(tried + 1, { input, error });
    }
    if (coverage.take() && tried >= begun) {
      pool.push(input);
      found.push(input);
    }
  }
  return result(cases, null);
}
