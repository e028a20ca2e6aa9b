import { type RawBuilder, sql } from 'kysely';
import type { UsageScope } from '../../shared/history/history.ts';
import { SANDBOX_ID } from '../../shared/sandbox-id.ts';

/** Returns the condition for totals of these exchanges. Those whose service is unknown do not count as the sandbox's. */
export function isInScope(scope: UsageScope): RawBuilder<boolean> {
  return scope === 'sandbox' ? sql`service = ${SANDBOX_ID}` : sql`service <> ${SANDBOX_ID}`;
}
