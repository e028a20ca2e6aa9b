import type { Settings } from '../../shared/settings.ts';
import { api } from './base.ts';

export const settingsCalls = {
  get: api.settings.get.handler(({ context }) => context.gateway.settings()),
  change: api.settings.change.handler(({ context, input }) =>
    context.gateway.changeSettings(given(input)),
  ),
  data: api.settings.data.handler(({ context }) => context.gateway.dataFolder()),
};

type Change = { readonly [Name in keyof Settings]?: Settings[Name] | undefined };

/** Without the settings that nobody spoke of. */
function given({ port, repairs, keepDays, keepHeadersDays, setUp }: Change): Partial<Settings> {
  return {
    ...(port === undefined ? {} : { port }),
    ...(repairs === undefined ? {} : { repairs }),
    ...(keepDays === undefined ? {} : { keepDays }),
    ...(keepHeadersDays === undefined ? {} : { keepHeadersDays }),
    ...(setUp === undefined ? {} : { setUp }),
  };
}
