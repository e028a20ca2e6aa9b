import { type ApiContext, createControlHandler } from '../../gateway/api/api.ts';
import type { Lock } from './instance-lock.ts';

/** Serves the calls of commands of this user, and tells them how to reach the engine. */
export function admitCommands(context: ApiContext, lock: Lock): void {
  const { gateway } = context;
  gateway.serveControl(createControlHandler(context));
  const { port, reportKey, controlKey } = gateway;
  lock.update({ port, reportKey, controlKey });
}
