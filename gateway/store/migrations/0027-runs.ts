import type { Migration, RunStatement } from '../schema.ts';
import { type FilledTotals, fillTotals, TOTALS } from './0019-usage-hours.ts';

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

/** Adds the tokens that services keep in their caches for an hour to all totals, and fills them from the exchanges. Never edited. */
export const cacheWritesForAnHour: Migration = {
  statements: () =>
    ['exchange_usage', 'exchange_sum'].flatMap((table) => [
      `alter table ${table} add column cache_write_hour real not null default 0`,
      `alter table ${table} add column cache_write_hour_known integer not null default 0`,
    ]),
  fill: async (run) =>
    await addToTotals(run, {
      where: 'usage_cache_write_hour is not null',
      sums: 'total(usage_cache_write_hour) as tokens, sum(times) as known',
      set: `cache_write_hour = cache_write_hour + new.tokens,
        cache_write_hour_known = cache_write_hour_known + new.known`,
    }),
};

/** Adds how many of the errors were refused by a limit to all totals, and fills them from the exchanges. Never edited. */
export const refusedByLimits: Migration = {
  statements: () =>
    ['exchange_usage', 'exchange_sum'].map(
      (table) => `alter table ${table} add column refused integer not null default 0`,
    ),
  fill: async (run) =>
    await addToTotals(run, {
      where: `attempts = 0 and error_code in
        ('local_limit_reached', 'local_rate_reached', 'local_agent_stopped', 'local_model_refused')`,
      sums: 'sum(times) as added',
      set: 'refused = refused + new.added',
    }),
};

/**
 * Adds the tools of exchanges. A later row has a greater `id`, also after a deletion, so that those that follow the history find what is
 * new. Never edited.
 */
export const exchangeTools: Migration = {
  statements: () => [
    `create table exchange_tool (
      id integer primary key autoincrement,
      seq integer not null references exchange (seq) on delete cascade,
      name text not null
    ) strict`,
    'create index exchange_tool_by_exchange on exchange_tool (seq)',
    'create index exchange_tool_by_name on exchange_tool (name, seq)',
  ],
};

/** What is added to totals. */
interface Addition {
  /** The exchanges that have it. */
  readonly where: string;
  readonly sums: string;
  /** How the row of a total takes the sums, which are in `new`. */
  readonly set: string;
}

const MORE_AT_A_TIME = 50_000;

async function addToTotals(run: RunStatement, addition: Addition): Promise<void> {
  const [row] = await run('select max(seq) as last from exchange');
  const last = Number(row?.['last'] ?? 0);
  for (let seq = 0; seq < last; seq += MORE_AT_A_TIME) {
    const rows = `exchange where seq > ${seq} and seq <= ${seq + MORE_AT_A_TIME} and ${addition.where}`;
    await run(addToUsage(TOTALS, rows, addition));
    await run(addToUsage(PROJECT_TOTALS, rows, addition));
    await run(addToSums(rows, addition));
  }
}

function addToUsage(
  { kinds, column, toName }: Omit<FilledTotals, 'failed'>,
  rows: string,
  { sums, set }: Addition,
): string {
  return `update exchange_usage set ${set} from (
      select kind, day, coalesce(service, '') as service, ${toName} as name, ${sums}
      from (select *, ${column} as own from ${rows}), (${kinds}) group by 1, 2, 3, 4) as new
    where exchange_usage.kind = new.kind and exchange_usage.day = new.day
      and exchange_usage.service = new.service and exchange_usage.name = new.name`;
}

function addToSums(rows: string, { sums, set }: Addition): string {
  return `update exchange_sum set ${set} from (
      select day, coalesce(service, '') as service, coalesce(client_id, '') as client_id,
        coalesce(client_name, '') as client_name, coalesce(model_sent, model_asked, '') as model, ${sums}
      from ${rows} group by 1, 2, 3, 4, 5) as new
    where exchange_sum.day = new.day and exchange_sum.service = new.service and exchange_sum.client_id = new.client_id
      and exchange_sum.client_name = new.client_name and exchange_sum.model = new.model`;
}
