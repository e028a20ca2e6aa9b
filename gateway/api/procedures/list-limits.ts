import type { LimitState } from '../../../shared/money/limit.ts';
import type { Gateway } from '../../gateway.ts';
import { findUsageScope } from './usage-scope.ts';

/** Lists the limits with the names of their clients, and what is used of them at the service in use. */
export async function listLimits(
  gateway: Pick<Gateway, 'clients' | 'limits' | 'status'>,
): Promise<LimitState[]> {
  const limits = gateway.limits.list(await findUsageScope(gateway));
  if (limits.length === 0) return [];
  const clients = await gateway.clients.list('services', true);
  const names = new Map<string, string>(clients.map(({ id, name }) => [id, name]));
  return limits.map((limit) => ({
    ...limit,
    clientName: names.get(limit.clientId ?? '') ?? null,
  }));
}
