import { type RawBuilder, sql } from 'kysely';
import type { UsageOf } from '../../shared/history/usage.ts';
import { SANDBOX_ID } from '../../shared/sandbox-id.ts';

/** Returns the condition for totals of these exchanges. Those whose service is unknown count as those of a service. */
export function isInScope(scope: UsageOf): RawBuilder<boolean> {
  return scope === 'services' ? sql`service <> ${SANDBOX_ID}` : sql`service = ${scope}`;
}
