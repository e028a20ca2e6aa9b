import type { DatabaseSync } from 'node:sqlite';
import type { GatewayReports } from '../messages.ts';

/** The columns of totals, and the sums over rows that they must equal. */
const TOTALS = [
  ['exchanges', 'count(*)'],
  ['errors', 'sum(coalesce(status, 0) >= 400 or error_code is not null)'],
  [
    'refused',
    `sum(attempts = 0 and coalesce(error_code, '') in ('local_limit_reached', 'local_rate_reached', 'local_agent_stopped', 'local_model_refused'))`,
  ],
  ['reported', `sum(usage_source = 'reported')`],
  ['estimated', `sum(usage_source = 'estimated')`],
  ['cost_estimated', `sum(coalesce(cost_source, '') = 'estimated')`],
  ['unpriced', 'sum(cost_source is not null and cost is null)'],
  ['input', 'total(usage_input)'],
  ['output', 'total(usage_output)'],
  ['cache_read', 'total(usage_cache_read)'],
  ['cache_write', 'total(usage_cache_write)'],
  ['cache_write_hour', 'total(usage_cache_write_hour)'],
  ['reasoning', 'total(usage_reasoning)'],
  ['cost', 'total(cost)'],
  ['cost_known', 'count(cost)'],
] as const;
const STORED = TOTALS.map(([column]) => column).join(', ');
const SUMMED = TOTALS.map(([column, sum]) => `${sum} as ${column}`).join(', ');

const MODEL = `coalesce(model_sent, model_asked, '')`;
const DAY = `strftime('%Y-%m-%d', started_at / 1000, 'unixepoch')`;

/** The kinds of `exchange_usage`, with the name that a row has in each. All rows are of clients with a key. */
const KINDS: Readonly<Record<string, string>> = {
  hour: 'cast(started_at / 3600000 as text)',
  client: `coalesce(client_name, '')`,
  model: MODEL,
  route: 'route',
  price: 'cast(price_id as text)',
};

/** Compares all stored totals with sums over the rows; returns the differences. Days are those of UTC. */
export function checkRollups(db: DatabaseSync): readonly string[] {
  const differences = Object.entries(KINDS).flatMap(([kind, name]) =>
    compare(db, `exchange_usage, ${kind}`, [
      `select ${DAY} as day, service, ${name} as name, ${SUMMED} from exchange where ${name} is not null group by 1, 2, 3`,
      `select day, service, name, ${STORED} from exchange_usage where kind = '${kind}'`,
    ]),
  );
  const keys = `service, coalesce(client_id, ''), coalesce(client_name, '')`;
  return [
    ...differences,
    ...compare(db, 'exchange_sum', [
      `select ${DAY} as day, ${keys} as client_name, ${MODEL} as model, ${SUMMED} from exchange group by 1, 2, 3, 4, 5`,
      `select day, service, client_id, client_name, model, ${STORED} from exchange_sum`,
    ]),
    ...compare(db, 'spend', [
      `select client_id, started_at / 900000 as quarter, total(cost) as money,
        total(coalesce(usage_input, 0) + coalesce(usage_output, 0)) as tokens, count(*) as requests
        from exchange where cost_source is not null and client_id is not null group by 1, 2`,
      'select client_id, quarter, total(money) as money, total(tokens) as tokens, sum(requests) as requests from spend group by 1, 2',
    ]),
  ];
}

/** Compares what the gateway reports with sums over the rows; returns the differences. */
export function checkReports(db: DatabaseSync, { totals, groups }: GatewayReports): string[] {
  const sum = (where: string) =>
    db
      .prepare(
        `select count(*) as exchanges, total(usage_input) as input, total(usage_output) as output, total(cost) as cost from exchange ${where}`,
      )
      .get() ?? {};
  const [whole] = [sum('')];
  const wrong: string[] = [];
  for (const name of ['exchanges', 'input', 'output', 'cost'] as const) {
    if ((totals[name] ?? 0) !== whole[name])
      wrong.push(
        `The overview reports ${totals[name]} of ${name}, and the rows have ${String(whole[name])}.`,
      );
    for (const [by, group] of Object.entries(groups)) {
      const grouped = group.reduce((all, one) => all + (one[name] ?? 0), 0);
      if (grouped !== whole[name])
        wrong.push(
          `usage by ${by} has ${grouped} of ${name}, and the rows ${String(whole[name])}.`,
        );
    }
  }
  return wrong;
}

function compare(
  db: DatabaseSync,
  name: string,
  [rows, stored]: readonly [rows: string, stored: string],
): readonly string[] {
  const read = (sql: string) =>
    new Set(
      db
        .prepare(sql)
        .all()
        .map((row) =>
          JSON.stringify(
            Object.values(row).map((value) => (value instanceof Uint8Array ? '' : value)),
          ),
        ),
    );
  const expected = read(rows);
  const found = read(stored);
  if (expected.size === 0) return [`There is nothing to compare ${name} with.`];
  return [
    ...[...expected].filter((row) => !found.has(row)).map((row) => `${name} lacks ${row}.`),
    ...[...found].filter((row) => !expected.has(row)).map((row) => `${name} has ${row}.`),
  ];
}
