import { UserError } from '../../errors.ts';
import { procedures } from './base.ts';
import { streamLiveEvents } from '../live-event-stream.ts';
import { createDiagnostics } from './diagnostics.ts';

export const statusProcedures = {
  get: procedures.status.get.handler(({ context }) => context.gateway.status()),
  events: procedures.status.events.handler(async ({ context: { gateway }, signal }) => {
    const { engine } = await gateway.status();
    const source = {
      engine,
      running: () => gateway.runningExchanges(),
      on: gateway.on.bind(gateway),
    };
    return streamLiveEvents(source, signal);
  }),
  pause: procedures.status.pause.handler(({ context }) => context.gateway.pause()),
  resume: procedures.status.resume.handler(({ context }) => context.gateway.resume()),
  stop: procedures.status.stop.handler(({ context: { gateway, stop } }) => {
    if (stop === undefined) throw new UserError('This Gatehouse cannot be ended by a command.');
    stop();
    return { running: gateway.running };
  }),
  diagnostics: procedures.status.diagnostics.handler(({ context }) => createDiagnostics(context)),
};
