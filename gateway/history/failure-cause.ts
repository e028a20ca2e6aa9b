import { type RawBuilder, sql } from 'kysely';
import type { ExchangeRecord } from '../../shared/exchange/exchange.ts';
import { findEnding } from '../../shared/exchange/outcome.ts';
import type { Failure } from '../../shared/failure/failure.ts';
import { GATEWAY_FAILURES } from '../../shared/failure/gateway-failures.ts';
import { INTERRUPTIONS } from '../../shared/failure/interruptions.ts';
import { RETIRED_KEY } from '../../shared/failure/request-failures.ts';
import { REFUSED, SERVICE_FAILED, STATUS_FAILURES } from '../../shared/failure/service-failures.ts';

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

/** Returns a SQL `when` with the words of each failure of a table. */
function whenEach(table: Readonly<Record<string, Failure>>): RawBuilder<unknown> {
  const cases = Object.entries(table).map(([key, { words }]) => sql`when ${key} then ${words}`);
  return sql.join(cases, sql` `);
}

const HAS_OWN_CODE = sql`(ended_by = 'gateway' or error_code glob 'upstream_*')
  and error_code in (${sql.join(Object.keys(GATEWAY_FAILURES))})`;

/** The words of `describeFailure` in SQL, without a limit of length. */
export const FAILURE_WORDS: RawBuilder<string | null> = sql`case
  when ${LEFT} then ${INTERRUPTIONS.leftDuringAnswer.words}
  when error_code = 'unexpected_content_type' and status < 400
    then ${GATEWAY_FAILURES.unexpected_content_type.words}
  when error_code = 'invalid_local_key' and ended_by = 'gateway' and client_name is not null
    then ${RETIRED_KEY.words}
  when ${HAS_OWN_CODE} then case
    when status < 400 then ${INTERRUPTIONS.cutByService.words}
    else case error_code ${whenEach(GATEWAY_FAILURES)} end end
  when status = 401 then ${STATUS_FAILURES[401]?.words}
  when error_code glob '*[^0-9]*' then replace(error_code, '_', ' ')
  when status >= 400 then case cast(status as text) ${whenEach(STATUS_FAILURES)}
    else case when status >= 500 then ${SERVICE_FAILED.words} else ${REFUSED.words} end end
  when status is null then ${INTERRUPTIONS.noAnswer.words}
  when error_code is not null then ${INTERRUPTIONS.errorWithinAnswer.words} end`;
