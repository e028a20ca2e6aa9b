import { api } from './base.ts';

export const settingsCalls = {
  get: api.settings.get.handler(({ context }) => context.gateway.settings()),
  change: api.settings.change.handler(({ context, input }) =>
    context.gateway.changeSettings(input),
  ),
  data: api.settings.data.handler(({ context }) => context.gateway.dataFolder()),
};
