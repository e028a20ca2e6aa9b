import { sql } from 'kysely';
import { ExchangeId } from '../../shared/exchange.ts';
import type { Attention } from '../../shared/history.ts';
import type { Repair, RepairCode } from '../../shared/repair.ts';
import type { Store } from '../store/store.ts';
import { parseRepairs } from './row.ts';

/** Facts of one exchange that the rules use. */
export interface AttentionInput {
  readonly id: ExchangeId;
  readonly startedAt: number;
  readonly clientName: string;
  readonly status: number | null;
  readonly errorCode: string | null;
  /** Whether it failed, other than by the client's disconnect or a pause of Gatehouse. */
  readonly failed: boolean;
  /** Whether the request was sent to the service. */
  readonly sent: boolean;
  readonly repairs: readonly Repair[];
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Limits the analysis to this many exchanges, so that it stays quick under heavy load. */
const MAX_EXCHANGES = 2_000;
/** Limits the search for requests of unknown clients to this many rows. */
const MAX_ROWS = 20_000;
const MAX_REPAIRS = 8;
/** One or two exchanges may fail by chance. */
const MIN_OCCURRENCES = 3;
const RECENT_COUNT = 10;

/** The client can do nothing about these repairs. */
const NOT_ACTIONABLE: ReadonlySet<RepairCode> = new Set([
  'models-wrapper',
  'model-from-list',
  'tokens-estimated',
  'stream-decoded',
  'redirect-followed',
  'video-form-to-json',
  'video-id-added',
  'key-redacted',
]);
const UNREACHABLE_CODES: ReadonlySet<string> = new Set([
  'upstream_unreachable',
  'upstream_timeout',
]);

/**
 * Finds problems that a person may want to act on, most urgent first, in the exchanges of the last 24 hours: `unreachable`
 * (the latest forwarded exchange did not reach the service), `unknown` (at least 3 requests without a valid local key were
 * refused), `client` (at least 3 of a client's latest 10 exchanges failed, including the very latest), `repair` (made at least
 * 3 times for a client, and still among its latest 10 exchanges; the most frequent 8).
 */
export async function findAttention(store: Store, now: number): Promise<Attention[]> {
  const since = now - DAY_MS;
  const found = analyzeAttention(await readInputs(store, since));
  const urgent = found.filter(({ kind }) => kind === 'unreachable');
  return [...urgent, ...(await findUnknownClients(store, since)), ...found.slice(urgent.length)];
}

/** Applies the rules of `findAttention` to exchanges of known clients, newest first. */
export function analyzeAttention(exchanges: readonly AttentionInput[]): Attention[] {
  const byClient = Map.groupBy(exchanges, ({ clientName }) => clientName);
  const repairs = [...byClient.values()].flatMap(findRepeatedRepairs);
  return [
    ...findUnreachable(exchanges),
    ...[...byClient.values()].flatMap(findFailingClient),
    ...repairs.toSorted((a, b) => b.times - a.times).slice(0, MAX_REPAIRS),
  ];
}

function findUnreachable(exchanges: readonly AttentionInput[]): Attention[] {
  const sent = exchanges.filter((exchange) => exchange.sent);
  const reached = sent.findIndex(({ errorCode }) => !UNREACHABLE_CODES.has(errorCode ?? ''));
  const failures = reached === -1 ? sent.length : reached;
  const [latest] = sent;
  if (latest === undefined || failures === 0) return [];
  return [{ kind: 'unreachable', failures, at: latest.startedAt }];
}

/** `own`: the exchanges of one client, newest first. */
function findFailingClient(own: readonly AttentionInput[]): Attention[] {
  const [latest] = own;
  const recent = own.slice(0, RECENT_COUNT);
  const failures = recent.filter(({ failed }) => failed).length;
  if (latest === undefined || !latest.failed || failures < MIN_OCCURRENCES) return [];
  const { clientName, status, errorCode, startedAt } = latest;
  const of = recent.length;
  return [{ kind: 'client', clientName, failures, of, status, errorCode, at: startedAt }];
}

/** `own`: the exchanges of one client, newest first. */
function findRepeatedRepairs(
  own: readonly AttentionInput[],
): Extract<Attention, { kind: 'repair' }>[] {
  const made = own.flatMap((exchange, index) =>
    toDistinctRepairs(exchange.repairs).map((repair) => ({ exchange, repair, index })),
  );
  const groups = [...Map.groupBy(made, ({ repair }) => repair.code).values()];
  return groups.flatMap((group) => {
    const [latest] = group;
    if (latest === undefined || group.length < MIN_OCCURRENCES || latest.index >= RECENT_COUNT)
      return [];
    const { exchange, repair } = latest;
    const { clientName, startedAt: at, id: exchangeId } = exchange;
    const { code, advice } = repair;
    return [{ kind: 'repair', clientName, code, advice, times: group.length, at, exchangeId }];
  });
}

/** Returns one repair of each code that a client can avoid. */
function toDistinctRepairs(repairs: readonly Repair[]): readonly Repair[] {
  const byCode = new Map(repairs.map((repair) => [repair.code, repair]));
  return [...byCode.values()].filter(({ code }) => !NOT_ACTIONABLE.has(code));
}

/** A refusal by `paused` and a disconnect of the client are not failures that a person can act on. */
const FAILED = sql<number>`ended_by <> 'client' and error_code is not 'paused' and (error_code is not null or coalesce(status, 400) >= 400)`;

async function readInputs(store: Store, since: number): Promise<AttentionInput[]> {
  const rows = await store.db
    .selectFrom('exchange')
    .select(['id', 'started_at', 'status', 'error_code', 'attempts', 'repairs'])
    .select([sql<string>`client_name`.as('client_name'), FAILED.as('failed')])
    .where('client_name', 'is not', null)
    .where('started_at', '>=', since)
    .orderBy('started_at', 'desc')
    .orderBy('seq', 'desc')
    .limit(MAX_EXCHANGES)
    .execute();
  return rows.map((row) => ({
    id: ExchangeId.parse(row.id),
    startedAt: row.started_at,
    clientName: row.client_name,
    status: row.status,
    errorCode: row.error_code,
    failed: row.failed === 1,
    sent: row.attempts > 0,
    repairs: parseRepairs(row),
  }));
}

/** A row carries the time of its latest request, up to an hour after its first. */
async function findUnknownClients(store: Store, since: number): Promise<Attention[]> {
  const rows = await store.db
    .with('latest', (all) =>
      all
        .selectFrom('exchange')
        .select(['client_name', 'status', 'error_code', 'ended_by', 'times', 'last_at'])
        .where('started_at', '>=', since - HOUR_MS)
        .orderBy('started_at', 'desc')
        .limit(MAX_ROWS),
    )
    .selectFrom('latest')
    .select(['status', 'error_code', 'times', 'last_at'])
    .where('client_name', 'is', null)
    .where('last_at', '>=', since)
    .where(FAILED, '=', 1)
    .orderBy('last_at', 'desc')
    .execute();
  const [latest] = rows;
  const requests = rows.reduce((sum, { times }) => sum + times, 0);
  if (latest === undefined || requests < MIN_OCCURRENCES) return [];
  const { status, error_code: errorCode, last_at: at } = latest;
  return [{ kind: 'unknown', requests, status, errorCode, at }];
}
