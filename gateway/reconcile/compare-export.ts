import type { History } from '../history/history.ts';
import { collectRows } from './collect-rows.ts';
import { compareRequests } from './compare-requests.ts';
import { compareSums } from './compare-sums.ts';
import { TOLERANCE_MS } from './match/match-rows.ts';
import { endOfStep, startOfStep } from './steps.ts';
import { subtractSums } from './sums.ts';
import type { Reconciliation, ReconcileQuery, Sides } from './types.ts';

/** Compares the usage export of a service with the history. Reads both a part at a time. @throws UserError for a file that it cannot use */
export async function reconcile(
  history: Pick<History, 'usageRows'>,
  { file, service, columns, since, until }: ReconcileQuery,
): Promise<Reconciliation> {
  const isRequest = columns.rows === 'request';
  const slack = isRequest ? TOLERANCE_MS : 0;
  const wholeSince = since === null || isRequest ? since : startOfStep(since, columns);
  const wholeUntil = until === null || isRequest ? until : endOfStep(until - 1, columns);
  const collected = await collectRows(file, columns, {
    from: (wholeSince ?? -Infinity) - slack,
    end: (wholeUntil ?? Infinity) + slack,
  });
  const first = startOfStep(collected.first, columns);
  const end = endOfStep(collected.last, columns);
  const sides: Sides = {
    history,
    service,
    columns,
    collected,
    // Of a file with other times only, the period is empty.
    since: wholeSince ?? Math.min(first, wholeUntil ?? first),
    until: wholeUntil ?? Math.max(end, wholeSince ?? end),
  };
  const { counted, ...found } = await (isRequest ? compareRequests(sides) : compareSums(sides));
  return {
    since: sides.since,
    until: sides.until,
    ...found,
    difference: subtractSums(found.export, found.history),
    outside: collected.read - counted,
    unreadable: collected.unreadable,
  };
}
