import { UserError } from '../errors.ts';
import type { ComparedExchange, ExportRow } from './match/types.ts';

/** Sums of one side. `cost`: millionths of the currency. */
export interface Sums {
  readonly requests: number;
  readonly input: number;
  readonly output: number;
  readonly cost: number;
}

export const NO_SUMS: Sums = { requests: 0, input: 0, output: 0, cost: 0 };

/** Adds sums without a rounding error. @throws UserError when they are too large for that */
export function addSums(one: Sums, other: Sums): Sums {
  const sums = {
    requests: one.requests + other.requests,
    input: one.input + other.input,
    output: one.output + other.output,
    cost: one.cost + other.cost,
  };
  if (!Object.values(sums).every(Number.isSafeInteger)) {
    throw new UserError('The numbers of this file are too large to be added up.');
  }
  return sums;
}

/** Adds up the sums of items. @throws UserError when they are too large for that */
export function addAll<Item>(items: readonly Item[], toSums: (item: Item) => Sums): Sums {
  return items.reduce((total, item) => addSums(total, toSums(item)), NO_SUMS);
}

/** Returns one minus the other. */
export function subtractSums(one: Sums, other: Sums): Sums {
  return {
    requests: one.requests - other.requests,
    input: one.input - other.input,
    output: one.output - other.output,
    cost: one.cost - other.cost,
  };
}

export function sumsOfRow({ requests, input, output, cost }: ExportRow): Sums {
  return { requests, input, output, cost };
}

/** Returns what an exchange adds to sums; an unknown cost adds nothing. */
export function sumsOfExchange({ input, output, cost }: ComparedExchange): Sums {
  return { requests: 1, input, output, cost: cost ?? 0 };
}
