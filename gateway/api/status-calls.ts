import { api } from './base.ts';
import { diagnose } from './diagnostics.ts';
import { liveEvents } from './live-events.ts';

export const statusCalls = {
  get: api.status.get.handler(({ context }) => context.gateway.status()),
  events: api.status.events.handler(async ({ context: { gateway }, signal }) => {
    const { engine } = await gateway.status();
    const source = {
      engine,
      running: () => gateway.runningExchanges(),
      on: gateway.on.bind(gateway),
    };
    return liveEvents(source, signal);
  }),
  pause: api.status.pause.handler(({ context }) => context.gateway.pause()),
  resume: api.status.resume.handler(({ context }) => context.gateway.resume()),
  diagnostics: api.status.diagnostics.handler(({ context }) => diagnose(context)),
};
