import { type RawBuilder, sql } from 'kysely';
import type { HistoryFilter, Outcome } from '../../shared/history.ts';
import { tokenize } from './tokenize.ts';

export type Condition = RawBuilder<boolean>;

/** The model of an exchange: the one sent, or the requested one when nothing was sent. */
const MODEL = sql<string | null>`coalesce(model_sent, model_asked)`;

/** Matches exchanges with an error, an error status, or an answer that the service did not complete. */
const FAILED = sql<boolean>`(error_code is not null or status is null or status >= 400 or ended_by = 'client')`;

/** Matches exchanges older than the one with this id; none when there is no such exchange. */
export function isOlderThan(id: string): Condition {
  return sql`(started_at, seq) < (select started_at, seq from exchange where id = ${id})`;
}

/** Matches statuses of one class, or everything that failed. */
export function hasOutcome(outcome: Outcome | '1xx'): Condition {
  if (outcome === 'failed') return FAILED;
  const first = Number(outcome.charAt(0)) * 100;
  return sql`status between ${first} and ${first + 99}`;
}

/**
 * Returns the conditions of a filter, all of which must hold. Without the search index a word is also found inside other
 * words.
 */
export function toConditions(filter: HistoryFilter): Condition[] {
  const { clients, models, routes, outcome, known, repaired, streamed, since, until } = filter;
  const conditions: Condition[] = tokenize(filter.text ?? '').map(contains);
  conditions.push(...isOneOf(sql`client_name`, clients));
  conditions.push(...isOneOf(MODEL, models), ...isOneOf(sql`route`, routes));
  if (outcome !== undefined) conditions.push(hasOutcome(outcome));
  if (known !== undefined) conditions.push(sql`(client_name is not null) = ${known ? 1 : 0}`);
  if (repaired !== undefined) conditions.push(sql`(repairs <> '[]') = ${repaired ? 1 : 0}`);
  if (streamed !== undefined) conditions.push(sql`streamed = ${streamed ? 1 : 0}`);
  if (since !== undefined) conditions.push(sql`started_at >= ${since}`);
  if (until !== undefined) conditions.push(sql`started_at < ${until}`);
  return conditions;
}

function isOneOf(value: RawBuilder<unknown>, values: readonly string[] = []): Condition[] {
  return values.length === 0 ? [] : [sql`${value} in (${sql.join([...values])})`];
}

const SEARCHED_COLUMNS = [
  'path_received',
  'model_asked',
  'model_sent',
  'model_served',
  'client_name',
  'conversation',
  'error_code',
  'error_message',
  'repairs',
  'user_agent',
] as const;

function contains(word: string): Condition {
  const columns = SEARCHED_COLUMNS.map((column) => sql`coalesce(${sql.ref(column)}, '')`);
  return sql`(${sql.join(columns, sql` || ' ' || `)}) like ${`%${word}%`}`;
}
