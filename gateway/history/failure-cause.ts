import { type RawBuilder, sql } from 'kysely';
import type { ExchangeRecord } from '../../shared/exchange/exchange.ts';
import { GATEWAY_FAILURES, SERVICE_FAILURES } from '../../shared/exchange/outcome.ts';

type Ended = Pick<ExchangeRecord, 'status' | 'errorCode' | 'endedBy'>;

/**
 * Names the cause of a failure, to group and filter by: its error code, or the status when there is none (`http_503`). `null` for
 * exchanges that did not fail, and for those that the client ended.
 */
export function toCause({ status, errorCode, endedBy }: Ended): string | null {
  if (endedBy === 'client') return null;
  if (errorCode !== null) return errorCode;
  if (status === null) return 'http_none';
  return status >= 400 ? `http_${status}` : null;
}

/** The cause of {@link toCause} in SQL. */
export const CAUSE: RawBuilder<string | null> = sql`case
  when ended_by = 'client' then null
  when error_code is not null then error_code
  when status is null then 'http_none'
  when status >= 400 then 'http_' || status end`;

/** Returns a SQL `when` for each entry of a table. */
function whenEach(table: Readonly<Record<string, string>>): RawBuilder<unknown> {
  const cases = Object.entries(table).map(([key, words]) => sql`when ${key} then ${words}`);
  return sql.join(cases, sql` `);
}

/** The words of `describeFailure` in SQL, without a limit of length. */
export const FAILURE_WORDS: RawBuilder<string | null> = sql`case
  when ended_by = 'client' and coalesce(status, 0) < 400 then 'client left'
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
