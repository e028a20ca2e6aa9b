import { type RawBuilder, sql } from 'kysely';
import type { ExchangeRecord } from '../../shared/exchange/exchange.ts';
import { findEnding } from '../../shared/exchange/outcome.ts';
import { FAILURE_WORDS as WORDS, type FailureKind } from '../../shared/failure/find-failure.ts';
import { FAILED_TEXT } from './usage/sum-columns.ts';
import { PROBLEMS } from '../../shared/problem.ts';

type Ended = Pick<ExchangeRecord, 'status' | 'errorCode' | 'endedBy'>;

const LEFT_TEXT = `(error_code is null and ended_by = 'client' and coalesce(status, 0) < 400)`;

/** `failed` of `findEnding` in SQL. */
export const FAILED: RawBuilder<boolean> = sql.raw(FAILED_TEXT);
/** `left` of `findEnding` in SQL. */
export const LEFT: RawBuilder<boolean> = sql.raw(LEFT_TEXT);
/** `answered` of `findEnding` in SQL. */
export const ANSWERED: RawBuilder<boolean> = sql.raw(`not (${FAILED_TEXT} or ${LEFT_TEXT})`);

/**
 * Names the cause of a failure, to group and filter by: its error code, or the status when there is none (`http_503`). `null` for
 * exchanges that did not fail.
 */
export function toCause(ended: Ended): string | null {
  if (findEnding(ended) !== 'failed') return null;
  return ended.errorCode ?? `http_${ended.status ?? 'none'}`;
}

/** The cause of {@link toCause} in SQL. */
export const CAUSE: RawBuilder<string | null> = sql`case
  when ${FAILED} then coalesce(error_code, 'http_' || coalesce(status, 'none')) end`;

/** Returns SQL for the words of the kind that an expression has; `null` for any other text. */
function wordsOf(kind: RawBuilder<unknown>): RawBuilder<string | null> {
  const each = Object.entries(WORDS).map(([name, text]) => sql`when ${name} then ${text}`);
  return sql`case ${kind} ${sql.join(each, sql` `)} end`;
}

function words(kind: FailureKind): RawBuilder<string> {
  return sql`${WORDS[kind]}`;
}

const OWN_STATUS = sql`case error_code ${sql.join(
  Object.entries(PROBLEMS).map(([code, { status }]) => sql`when ${code} then ${status}`),
  sql` `,
)} end`;

/** Whether the code is one of Gatehouse, which answered or recorded it. */
const HAS_OWN_CODE = sql`${OWN_STATUS} is not null and (ended_by = 'gateway'
  or error_code = 'unexpected_content_type' and status < 400
  or error_code glob 'upstream_*' and (coalesce(status, 0) < 400 or status = ${OWN_STATUS}))`;

/** The words of `describeFailure` in SQL, without a limit of length. */
export const FAILURE_WORDS: RawBuilder<string | null> = sql`case
  when ${LEFT} then ${words('left_during_answer')}
  when error_code = 'invalid_local_key' and ended_by = 'gateway' and client_name is not null
    then ${words('retired_key')}
  when ${HAS_OWN_CODE} then case
    when status < 400 and error_code <> 'unexpected_content_type' then ${words('cut_by_service')}
    else ${wordsOf(sql`error_code`)} end
  when status = 401 then ${words('http_401')}
  when error_code glob '*[^0-9]*' then replace(error_code, '_', ' ')
  when status >= 400 then coalesce(${wordsOf(sql`'http_' || status`)},
    case when status >= 500 then ${words('http_5xx')} else ${words('http_4xx')} end)
  when status is null then ${words('no_answer')}
  when error_code is not null then ${words('error_within_answer')} end`;
