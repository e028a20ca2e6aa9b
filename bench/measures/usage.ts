import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSession } from '../../gateway/history/usage/read-session.ts';
import { formatDay } from '../../shared/format.ts';
import { fillHistory, openHistoryFolder } from '../data/full-history.ts';
import { type Measure, Rows } from '../measure.ts';
import { median } from '../statistics.ts';

const AT_MOST_MS = 100;
const DAY_MS = 24 * 3_600_000;
/** Days of the longest period: all that the generated history has. */
const DAYS = 90;

/** Measures the usage of a full history: its course, and each of its groups. */
export const measureUsage: Measure = async ({ scale: { history: scale } }) => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'));
  const now = Date.now();
  const { history, close } = await openHistoryFolder(folder, now);
  try {
    await fillHistory(history, { count: scale.rows, end: now });
    const rows = new Rows('usage');
    const query = (days: number) => ({
      scope: 'services' as const,
      period: { since: formatDay(now - (days - 1) * DAY_MS), until: formatDay(now) },
    });
    const add = async (name: string, label: string, look: () => Promise<unknown>) => {
      const durations: number[] = [];
      for (let time = 0; time < scale.times; time += 1) {
        const start = performance.now();
        // One after the other, so that each is measured alone.
        await look();
        durations.push(performance.now() - start);
      }
      const values = { gateway: median(durations) };
      const text = `usage of ${scale.rows} exchanges: ${label}`;
      rows.add([name, text], 'ms', { values, goal: { atMost: AT_MOST_MS } });
    };
    await add('today', 'today by hour', () => history.usageOverview(query(1)));
    await add('all', `${DAYS} days by week`, () => history.usageOverview(query(DAYS)));
    for (const by of ['model', 'client', 'project', 'route', 'tag'] as const) {
      await add(by, `${DAYS} days by ${by}`, () => history.usageGroups({ ...query(DAYS), by }));
    }
    await add('run', `${DAYS} days by run`, () => history.usageOfRuns(query(DAYS), findNoTitles));
    const [latest] = await history.list({ limit: 1 });
    const session = latest?.conversation ?? '';
    await add('session', 'one session', () => Promise.resolve(readSession(folder, session)));
    return rows.rows;
  } finally {
    await close();
    await rm(folder, { recursive: true, force: true });
  }
};

function findNoTitles(): Promise<ReadonlyMap<string, string>> {
  return Promise.resolve(new Map());
}
