import { listPrivateAddresses } from '../../lib/own-addresses.ts';
import { procedures } from './base.ts';

export const settingsProcedures = {
  get: procedures.settings.get.handler(({ context }) => context.gateway.settings()),
  change: procedures.settings.change.handler(({ context, input }) =>
    context.gateway.changeSettings(input),
  ),
  listeners: {
    possible: procedures.settings.listeners.possible.handler(() => listPrivateAddresses()),
    add: procedures.settings.listeners.add.handler(({ context, input }) =>
      context.gateway.changeSettings(({ furtherListeners }) => ({
        furtherListeners: [...furtherListeners, input],
      })),
    ),
    remove: procedures.settings.listeners.remove.handler(({ context, input }) =>
      context.gateway.changeSettings(({ furtherListeners }) => ({
        furtherListeners: furtherListeners.filter(({ address }) => address !== input.address),
      })),
    ),
  },
  data: procedures.settings.data.handler(({ context }) => context.gateway.dataFolder()),
};
