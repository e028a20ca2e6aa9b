import type { Migration } from '../schema.ts';
import { fillTotals } from './0019-usage-hours.ts';

/** Adds what clients say of the agent that sent a request, and the run that it belongs to. Never edited. */
export const runs: Migration = {
  statements: () => STATEMENTS,
};

/** Each new column of a strict table makes SQLite read all its rows, so there are two. */
const STATEMENTS = [
  'alter table exchange add column run text',
  'alter table exchange add column sender text',
  'create index exchange_by_run on exchange (run, started_at) where run is not null',
];

/** Finds the exchanges of a session, and those without a price, and adds the totals by project and fills them. Never edited. */
export const sessionsAndProjects: Migration = {
  statements: () => [
    'create index exchange_by_session on exchange (conversation, started_at) where conversation is not null',
    `create index exchange_unpriced on exchange (started_at) where cost_source = 'unpriced'`,
  ],
  fill: async (run) => {
    const [row] = await run(
      'select min(seq) as first, max(seq) as last from exchange where sender is not null',
    );
    const last = Number(row?.['last'] ?? 0);
    for (let seq = Number(row?.['first'] ?? 1) - 1; seq < last; seq += AT_A_TIME) {
      await run(fillTotals(PROJECT_TOTALS, seq, seq + AT_A_TIME));
    }
  },
};

const AT_A_TIME = 5000;

const PROJECT_TOTALS = {
  kinds: `select 'project' as kind`,
  column: `sender ->> '$.project'`,
  toName: 'own',
  failed: `error_code is not null or coalesce(status >= 400, ended_by <> 'client')`,
};
