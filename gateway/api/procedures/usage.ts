import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import { procedures } from './base.ts';
import { reconcileProcedures } from './reconcile.ts';
import { findUsageScope } from './usage-scope.ts';

export const usageProcedures = {
  overview: procedures.usage.overview.handler(
    async ({ context: { gateway }, input: { of, ...period } }) =>
      await gateway.history.usageOverview({ scope: of ?? (await findUsageScope(gateway)), period }),
  ),
  groups: procedures.usage.groups.handler(
    async ({ context: { gateway }, input: { by, of, ...period } }) => {
      const { bodies, history } = gateway;
      const query = { scope: of ?? (await findUsageScope(gateway)), period };
      if (by !== 'run') return await history.usageGroups({ ...query, by });
      return await history.usageOfRuns(query, async (runs) => await bodies.findTitles(runs));
    },
  ),
  priceable: procedures.usage.priceable.handler(
    async ({ context: { gateway }, input: { of, ...period } }) => {
      const scope = of ?? (await findUsageScope(gateway));
      // Its requests are free, and their costs are never computed again.
      if (scope === SANDBOX_ID) return { exchanges: 0, since: null };
      return await gateway.history.priceable({ scope, period }, gateway.prices);
    },
  ),
  reconcile: reconcileProcedures,
};
