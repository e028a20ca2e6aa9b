import { MinHeap } from './min-heap.ts';
import type { ComparedExchange, ExportRow, Matches, Pair } from './types.ts';

/** The times that a row of an exchange may have, both included. */
type Window = (exchange: ComparedExchange) => readonly [from: number, to: number];

/** The greatest difference of the clocks of this machine and the service, in milliseconds. */
export const TOLERANCE_MS = 5 * 60_000;
const SECOND = 1_000;

/** The narrowest first, so that of equal requests each gets the row with its own time. An export has the start or the end of a request. */
const NEAR: readonly Window[] = [
  ({ startedAt }) => [startedAt, startedAt],
  ({ startedAt }) => [startedAt - SECOND, startedAt + SECOND],
  ({ endedAt }) => [endedAt - SECOND, endedAt + SECOND],
];
const AROUND: Window = ({ startedAt, endedAt }) => [startedAt - SECOND, endedAt + SECOND];
const WITHIN: readonly Window[] = [10 * SECOND, TOLERANCE_MS].map(
  (ms): Window =>
    ({ startedAt, endedAt }) => [startedAt - ms, endedAt + ms],
);

/**
 * Pairs rows with exchanges, each once, in the same way for any order of both: first those of a model with equal tokens within
 * {@link TOLERANCE_MS}, nearest first, then those of a model at the same time, whose tokens differ.
 */
export function matchRows(
  rows: readonly ExportRow[],
  exchanges: readonly ComparedExchange[],
): Matches {
  const before: Matches = { pairs: [], rows, exchanges };
  const equal = matchInGroups(before, [...NEAR, ...WITHIN], ({ model, input, output }) =>
    JSON.stringify([model, input, output]),
  );
  return matchInGroups(equal, [...NEAR, AROUND], ({ model }) => model);
}

type Compared = Pick<ExportRow, 'model' | 'input' | 'output'>;

function matchInGroups(
  { pairs, rows, exchanges }: Matches,
  windows: readonly Window[],
  toKey: (of: Compared) => string,
): Matches {
  const groups = Map.groupBy(exchanges, toKey);
  const found: Pair[] = [...pairs];
  const restRows: ExportRow[] = [];
  const restExchanges: ComparedExchange[] = [];
  for (const [key, group] of Map.groupBy(rows, toKey)) {
    let left: Matches = {
      pairs: [],
      rows: group.toSorted(compareRows),
      exchanges: groups.get(key) ?? [],
    };
    for (const window of windows) left = matchInWindow(left, window);
    groups.delete(key);
    append(found, left.pairs);
    append(restRows, left.rows);
    append(restExchanges, left.exchanges);
  }
  for (const group of groups.values()) append(restExchanges, group);
  return { pairs: found, rows: restRows, exchanges: restExchanges };
}

/** A call with a million arguments would overflow the stack. */
function append<Item>(to: Item[], items: readonly Item[]): void {
  for (const item of items) to.push(item);
}

/** Rows of the same time that only differ in what is compared later have a fixed order, too. */
function compareRows(one: ExportRow, other: ExportRow): number {
  return (
    one.at - other.at ||
    one.input - other.input ||
    one.output - other.output ||
    one.cost - other.cost ||
    one.place - other.place
  );
}

interface Waiting {
  readonly exchange: ComparedExchange;
  readonly from: number;
  readonly to: number;
}

function compareIds(one: Waiting, other: Waiting): number {
  return one.exchange.id < other.exchange.id ? -1 : 1;
}

/** Pairs as many as possible: each row, in the order of time, with the exchange whose window ends first. */
function matchInWindow({ pairs, rows, exchanges }: Matches, window: Window): Matches {
  if (rows.length === 0 || exchanges.length === 0) return { pairs, rows, exchanges };
  const waiting = exchanges
    .map((exchange): Waiting => {
      const [from, to] = window(exchange);
      return { exchange, from, to };
    })
    .toSorted((one, other) => one.from - other.from || compareIds(one, other));
  const heap = new MinHeap<Waiting>((one, other) => one.to - other.to || compareIds(one, other));
  const found: Pair[] = [...pairs];
  const restRows: ExportRow[] = [];
  const restExchanges: ComparedExchange[] = [];
  let next = 0;
  for (const row of rows) {
    for (let one = waiting[next]; one !== undefined && one.from <= row.at; one = waiting[next]) {
      heap.push(one);
      next += 1;
    }
    for (let one = heap.peek(); one !== undefined && one.to < row.at; one = heap.peek()) {
      restExchanges.push(one.exchange);
      heap.pop();
    }
    const partner = heap.pop();
    if (partner === undefined) restRows.push(row);
    else found.push({ row, exchange: partner.exchange });
  }
  for (let one = heap.pop(); one !== undefined; one = heap.pop()) restExchanges.push(one.exchange);
  for (const { exchange } of waiting.slice(next)) restExchanges.push(exchange);
  return { pairs: found, rows: restRows, exchanges: restExchanges };
}
