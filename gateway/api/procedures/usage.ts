import { procedures } from './base.ts';
import { reconcileProcedures } from './reconcile.ts';
import { findUsageScope } from './usage-scope.ts';

export const usageProcedures = {
  overview: procedures.usage.overview.handler(async ({ context: { gateway }, input: period }) =>
    gateway.history.usageOverview({ scope: await findUsageScope(gateway), period }),
  ),
  groups: procedures.usage.groups.handler(
    async ({ context: { gateway }, input: { by, ...period } }) => {
      const { bodies, history } = gateway;
      const query = { scope: await findUsageScope(gateway), period };
      if (by !== 'run') return await history.usageGroups({ ...query, by });
      return await history.usageOfRuns(query, async (runs) => await bodies.findTitles(runs));
    },
  ),
  priceable: procedures.usage.priceable.handler(async ({ context: { gateway }, input: period }) => {
    const isSandbox = (await findUsageScope(gateway)) === 'sandbox';
    // Its requests are free, and their costs are never computed again.
    if (isSandbox) return { exchanges: 0, since: null };
    return await gateway.history.priceable(period, gateway.prices);
  }),
  reconcile: reconcileProcedures,
};
