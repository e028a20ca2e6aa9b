import type { ExchangeId, RunId } from '../../../shared/exchange/exchange.ts';
import type { UsagePeriod } from '../../../shared/history/usage.ts';
import type { RunFilter, RunPage } from '../../../shared/run/run.ts';
import { startOfDay } from '../days.ts';
import { addDays } from './periods.ts';
import type { RunMembers } from './usage-by-rows.ts';
import { checkPeriod } from './usage-report.ts';

/** Runs whose usage is summed: the latest of a period. */
const MAX_RUNS = 100;

/** The stored runs. */
export interface RunSource {
  listRuns(query: { filter: RunFilter; limit: number; before: string | null }): Promise<RunPage>;
  listSteps(id: RunId): Promise<readonly ExchangeId[]>;
}

/** Lists the latest hundred runs of a period with their exchanges. @throws UserError */
export async function listRunMembers(
  source: RunSource,
  period: UsagePeriod,
): Promise<RunMembers[]> {
  checkPeriod(period);
  const from = startOfDay(period.since);
  const end = startOfDay(addDays(period.until, 1));
  const runs: RunMembers[] = [];
  let before: string | null = null;
  do {
    const page: RunPage = await source.listRuns({ filter: {}, limit: MAX_RUNS, before });
    for (const { id, title, startedAt, endedAt } of page.runs) {
      if (endedAt < from || runs.length === MAX_RUNS) return runs;
      if (startedAt < end) runs.push({ id, title, exchanges: await source.listSteps(id) });
    }
    before = page.next;
  } while (before !== null);
  return runs;
}
