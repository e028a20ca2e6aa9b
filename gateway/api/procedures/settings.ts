import { listPrivateAddresses } from '../../settings/settings.ts';
import { procedures } from './base.ts';

export const settingsProcedures = {
  get: procedures.settings.get.handler(({ context }) => context.gateway.settings()),
  change: procedures.settings.change.handler(({ context, input }) =>
    context.gateway.changeSettings(input),
  ),
  data: procedures.settings.data.handler(({ context }) => context.gateway.dataFolder()),
  addresses: procedures.settings.addresses.handler(() => listPrivateAddresses()),
};
