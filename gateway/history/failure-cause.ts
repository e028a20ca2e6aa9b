import { type RawBuilder, sql } from 'kysely';
import type { ExchangeRecord } from '../../shared/exchange/exchange.ts';
import { findEnding, GATEWAY_FAILURES, SERVICE_FAILURES } from '../../shared/exchange/outcome.ts';

type Ended = Pick<ExchangeRecord, 'status' | 'errorCode' | 'endedBy'>;

/** {@link FAILED} as a text. */
export const FAILED_TEXT = `(error_code is not null or coalesce(status >= 400, ended_by <> 'client'))`;
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

/** Returns a SQL `when` for each entry of a table. */
function whenEach(table: Readonly<Record<string, string>>): RawBuilder<unknown> {
  const cases = Object.entries(table).map(([key, words]) => sql`when ${key} then ${words}`);
  return sql.join(cases, sql` `);
}

/** The words of `describeFailure` in SQL, without a limit of length. */
export const FAILURE_WORDS: RawBuilder<string | null> = sql`case
  when ${LEFT} then 'client left'
  when error_code = 'unexpected_content_type' then ${GATEWAY_FAILURES.unexpected_content_type}
  when error_code = 'invalid_local_key' and ended_by = 'gateway' and client_name is not null then 'revoked key'
  when (ended_by = 'gateway' or error_code glob 'upstream_*')
    and error_code in (${sql.join(Object.keys(GATEWAY_FAILURES))})
    then case when status < 400 then 'cut off' else case error_code ${whenEach(GATEWAY_FAILURES)} end end
  when status = 401 then 'service key refused'
  when status >= 400 and not error_code glob '*[^0-9]*' or error_code is null and status >= 400
    then case cast(status as text) ${whenEach(SERVICE_FAILURES)}
      else case when status >= 500 then 'service error' else 'refused' end end
  when error_code is not null then replace(error_code, '_', ' ')
  when status is null then 'no answer' end`;
