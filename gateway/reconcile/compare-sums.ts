import { ExchangeNames } from './compared-exchanges.ts';
import type { UsageColumns } from '../../shared/reconcile/usage-columns.ts';
import { limitList } from './limit-list.ts';
import type { Comparison, Difference, Sides } from './types.ts';
import { endOfStep, startOfStep } from './steps.ts';
import { addAll, addSums, NO_SUMS, type Sums, sumsOfExchange, sumsOfRow } from './sums.ts';

/** The sums of a step and a model on both sides. */
interface Group {
  readonly at: number;
  readonly model: string;
  export: Sums | null;
  history: Sums | null;
  /** Exchanges whose costs are known. */
  priced: number;
}

/** Compares an export whose rows are sums of a day or an hour and a model. */
export async function compareSums(sides: Sides): Promise<Comparison> {
  const { history, service, columns, collected, since, until } = sides;
  const groups = new Map<string, Group>();
  const find = (time: number, model: string): Group => {
    const at = startOfStep(time, columns);
    const key = `${at} ${model}`;
    const group = groups.get(key) ?? { at, model, export: null, history: null, priced: 0 };
    groups.set(key, group);
    return group;
  };
  for (const row of collected.rows) {
    const group = find(row.at, row.model);
    group.export = addSums(group.export ?? NO_SUMS, sumsOfRow(row));
  }
  const names = new ExchangeNames(collected.rows, columns);
  let [inexact, withoutCost] = [0, 0];
  for await (const batch of history.usageRows({ service, since, until, headers: false })) {
    for (const one of batch) {
      const exchange = names.toCompared(one);
      const group = find(exchange.startedAt, exchange.model);
      group.history = addSums(group.history ?? NO_SUMS, sumsOfExchange(exchange));
      if (exchange.isInexact) inexact += 1;
      if (exchange.cost === null) withoutCost += 1;
      else group.priced += 1;
    }
  }
  const all = [...groups.values()];
  const both = all.filter((group) => group.export !== null && group.history !== null);
  const different = both.filter((group) => isDifferent(group, columns));
  const without = (side: 'export' | 'history') => all.filter((group) => group[side] === null);
  const toItem = (group: Group) => toDifference(group, columns);
  return {
    export: addAll(all, (group) => group.export ?? NO_SUMS),
    history: addAll(all, (group) => group.history ?? NO_SUMS),
    equal: both.length - different.length,
    different: limitList(different, toItem),
    onlyInExport: limitList(without('history'), toItem),
    onlyInHistory: limitList(without('export'), toItem),
    inexact,
    withoutCost,
    counted: collected.rows.length,
  };
}

/** Each request's cost is rounded to millionths here, and a sum of the service once. */
function isDifferent(group: Group, { requests, input, output, cost }: UsageColumns): boolean {
  const [one, other] = [group.export ?? NO_SUMS, group.history ?? NO_SUMS];
  return (
    (requests !== null && one.requests !== other.requests) ||
    (input.length > 0 && one.input !== other.input) ||
    (output.length > 0 && one.output !== other.output) ||
    (cost !== null && group.priced > 0 && Math.abs(one.cost - other.cost) > group.priced)
  );
}

function toDifference(group: Group, columns: UsageColumns): Difference {
  const { at, model, export: sums, history } = group;
  const until = endOfStep(at, columns);
  return { at, until, model, place: null, exchange: null, export: sums, history };
}
