import { UserError } from '../errors.ts';
import { MAX_COMPARED, TOO_MANY } from './collect-rows.ts';
import { ExchangeNames } from './compared-exchanges.ts';
import type { UsageColumns } from '../../shared/reconcile/usage-columns.ts';
import { limitList } from './limit-list.ts';
import { matchRows, TOLERANCE_MS } from './match/match-rows.ts';
import type { ComparedExchange, ExportRow, Matches, Pair } from './match/types.ts';
import type { Comparison, Difference, Sides } from './types.ts';
import { addAll, sumsOfExchange, sumsOfRow } from './sums.ts';

/** The longest time of a request that began before the period and whose row is within it. */
const MAX_REQUEST_MS = 3_600_000;

/** Each side rounds the cost of a request to millionths, so their costs are off by one at most. */
const ROUNDING = 1;

/** Compares an export whose rows are single requests: by the id of a request where it has one, otherwise by model, tokens and time. */
export async function compareRequests(sides: Sides): Promise<Comparison> {
  const { columns, since, until } = sides;
  const { pairs, rows, exchanges } = await match(sides);
  const isWithin = (at: number) => at >= since && at < until;
  const counted: Matches = {
    pairs: pairs.filter(({ exchange }) => isWithin(exchange.startedAt)),
    rows: rows.filter(({ at }) => isWithin(at)),
    exchanges: exchanges.filter(({ startedAt }) => isWithin(startedAt)),
  };
  const differing = counted.pairs.filter((pair) => isDifferent(pair, columns));
  const countedRows = [...counted.pairs.map(({ row }) => row), ...counted.rows];
  const countedExchanges = [...counted.pairs.map(({ exchange }) => exchange), ...counted.exchanges];
  return {
    export: addAll(countedRows, sumsOfRow),
    history: addAll(countedExchanges, sumsOfExchange),
    equal: counted.pairs.length - differing.length,
    different: limitList(differing, toDifference),
    onlyInExport: limitList(counted.rows, (row) => toDifference({ row, exchange: null })),
    onlyInHistory: limitList(counted.exchanges, (exchange) =>
      toDifference({ row: null, exchange }),
    ),
    inexact: countedExchanges.filter(({ isInexact }) => isInexact).length,
    withoutCost: countedExchanges.filter(({ cost }) => cost === null).length,
    counted: countedRows.length,
  };
}

/** Matches by id while the history is read, so that its headers are never in memory together, and then the rest. */
async function match({ history, service, columns, collected, since, until }: Sides) {
  const names = new ExchangeNames(collected.rows, columns);
  const byId = new Map<string, ExportRow>();
  for (const row of collected.rows) {
    if (row.id !== null && !byId.has(row.id)) byId.set(row.id, row);
  }
  const pairs: Pair[] = [];
  const rest: ComparedExchange[] = [];
  const from = since - TOLERANCE_MS;
  const period = { since: from - MAX_REQUEST_MS, until: until + TOLERANCE_MS };
  for await (const batch of history.usageRows({ service, ...period, headers: byId.size > 0 })) {
    for (const one of batch) {
      if (one.endedAt < from) continue;
      const id = one.answered.find((value) => byId.has(value)) ?? '';
      const row = byId.get(id);
      if (row === undefined) rest.push(names.toCompared(one));
      else {
        byId.delete(id);
        pairs.push({ row, exchange: names.toCompared(one) });
      }
      if (pairs.length + rest.length > MAX_COMPARED) throw new UserError(TOO_MANY);
    }
  }
  const matched = new Set(pairs.map(({ row }) => row));
  const others = matchRows(
    collected.rows.filter((row) => !matched.has(row)),
    rest,
  );
  return { ...others, pairs: [...pairs, ...others.pairs] };
}

function isDifferent({ row, exchange }: Pair, { input, output, cost }: UsageColumns): boolean {
  return (
    (input.length > 0 && row.input !== exchange.input) ||
    (output.length > 0 && row.output !== exchange.output) ||
    (cost !== null && exchange.cost !== null && Math.abs(row.cost - exchange.cost) > ROUNDING)
  );
}

type OneOrBoth =
  | Pair
  | { readonly row: ExportRow; readonly exchange: null }
  | { readonly row: null; readonly exchange: ComparedExchange };

function toDifference({ row, exchange }: OneOrBoth): Difference {
  return {
    at: exchange?.startedAt ?? row?.at ?? 0,
    until: null,
    model: exchange?.model ?? row?.model ?? '',
    place: row?.place ?? null,
    exchange: exchange?.id ?? null,
    export: row === null ? null : sumsOfRow(row),
    history: exchange === null ? null : sumsOfExchange(exchange),
  };
}
