import { sql } from 'kysely';
import { ExchangeId } from '../../../shared/exchange/exchange.ts';
import type { Attention } from '../../../shared/history/history.ts';
import { printFilter } from '../../../shared/filter-language/print-filter.ts';
import { describeFailure } from '../../../shared/failure/find-failure.ts';
import { toPattern } from '../../../shared/name-pattern.ts';
import { UNREACHABLE_CAUSES } from '../../../shared/unreachable.ts';
import type { Store } from '../../store/store.ts';
import {
  analyzeAttention,
  type AttentionContext,
  type AttentionInput,
  MIN_OCCURRENCES,
} from './attention-rules.ts';
import { CAUSE } from '../failure-cause.ts';
import { parseRepairs } from '../row.ts';

/** What the record says of an exchange that did not reach the service. */
const UNREACHED_MESSAGE = sql<string | null>`case
  when attempts > 0 and error_code in (${sql.join(UNREACHABLE_CAUSES)}) then error_message end`;
const DAY_MS = 24 * 3_600_000;
/** Limits the analysis to this many exchanges, so that it stays quick under heavy load. */
const MAX_EXCHANGES = 2_000;
/** Limits the search for requests of unknown clients to this many rows. */
const MAX_ROWS = 20_000;
/** Limits the programs without a valid local key that are listed. */
const MAX_PROGRAMS = 5;

/**
 * Finds problems that a person may want to act on, most urgent first, in the exchanges of the last 24 hours: `unreachable`
 * (the latest exchanges did not reach the service in use), `unknown` (at least 3 requests of one program without a valid local
 * key were refused for one cause, and it has not sent a valid one since), `client` (at least 3 of a client's latest 10 exchanges
 * with the service in use failed, including the very latest; clients that fail for one cause of the service are one problem),
 * `repair` (made at least 3 times for a client, and still among its latest 10 exchanges; the most frequent 8).
 */
export async function findAttention(
  store: Store,
  now: number,
  context: AttentionContext,
): Promise<Attention[]> {
  const since = now - DAY_MS;
  const inputs = await readInputs(store, since);
  const { service: used, usedSince } = context;
  const found = analyzeAttention(
    inputs.filter(({ service, startedAt }) => service === used && startedAt >= usedSince),
    context,
  );
  const urgent = found.filter(({ kind }) => kind === 'unreachable');
  const unknown = await findUnknownClients(store, since, latestByProgram(inputs));
  return [...urgent, ...unknown, ...found.slice(urgent.length)];
}

async function readInputs(store: Store, since: number): Promise<AttentionInput[]> {
  const rows = await store.db
    .selectFrom('exchange')
    .select([
      'id',
      'started_at',
      'service',
      'user_agent',
      'status',
      'error_code',
      'ended_by',
      'attempts',
      'times',
    ])
    .select(['repairs', sql<string>`client_name`.as('client_name'), CAUSE.as('cause')])
    .select(UNREACHED_MESSAGE.as('unreached_message'))
    .where('client_name', 'is not', null)
    .where('started_at', '>=', since)
    .orderBy('started_at', 'desc')
    .orderBy('seq', 'desc')
    .limit(MAX_EXCHANGES)
    .execute();
  return rows.map((row) => ({
    id: ExchangeId.parse(row.id),
    startedAt: row.started_at,
    times: row.times,
    service: row.service,
    clientName: row.client_name,
    userAgent: row.user_agent,
    status: row.status,
    errorCode: row.error_code,
    endedBy: row.ended_by,
    unreachedMessage: row.unreached_message,
    cause: row.cause,
    sent: row.attempts > 0,
    repairs: parseRepairs(row),
  }));
}

/** Returns when each program last sent a request with a valid local key. */
function latestByProgram(inputs: readonly AttentionInput[]): ReadonlyMap<string, number> {
  const latest = new Map<string, number>();
  for (const { userAgent, startedAt, sent, errorCode } of inputs) {
    // A key that was revoked or replaced is no valid one.
    if (!sent && errorCode === 'invalid_local_key') continue;
    if (userAgent !== null && !latest.has(userAgent)) latest.set(userAgent, startedAt);
  }
  return latest;
}

interface RefusedProgram {
  readonly agent: string;
  readonly cause: string;
  readonly status: number | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly requests: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** `accepted`: when each program last sent a valid local key; what was refused before that is mended. */
async function findUnknownClients(
  store: Store,
  since: number,
  accepted: ReadonlyMap<string, number>,
): Promise<Attention[]> {
  const { rows } = await sql<RefusedProgram>`
    with latest as (
      select client_name, coalesce(user_agent, '') as agent, ${CAUSE} as cause, status, error_code, error_message,
        times, started_at, last_at
      from exchange where started_at >= ${since} order by started_at desc limit ${MAX_ROWS}
    )
    select agent, cause, status, error_code as errorCode, error_message as errorMessage, sum(times) as requests,
      min(started_at) as firstAt, max(last_at) as lastAt
    from latest
    where client_name is null and cause is not null and cause <> 'paused'
    group by agent, cause having sum(times) >= ${MIN_OCCURRENCES}
    order by lastAt desc`.execute(store.db);
  const open = rows.filter(({ agent, lastAt }) => (accepted.get(agent) ?? 0) < lastAt);
  return open.slice(0, MAX_PROGRAMS).map(toUnknown);
}

function toUnknown(program: RefusedProgram): Attention {
  const { agent, cause, status, errorCode, errorMessage, requests, firstAt, lastAt } = program;
  return {
    kind: 'unknown',
    id: JSON.stringify(['unknown', agent, cause]),
    userAgent: agent === '' ? null : agent,
    requests,
    status,
    errorCode,
    errorMessage,
    reason: describeFailure({ status, errorCode, endedBy: 'gateway' }),
    at: lastAt,
    filter: printFilter({
      known: false,
      agents: [toPattern(agent)],
      errors: [toPattern(cause)],
      since: firstAt,
    }),
  };
}
