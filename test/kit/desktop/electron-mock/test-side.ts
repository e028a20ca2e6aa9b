import type { Control, Stage } from './transport/messages.ts';
import { RpcChannel } from './transport/rpc-channel.ts';

/** The mock answers the test by these. Each part adds its own. */
export const answers: Partial<Control> = {};

/** The test that started this process. */
export const stage = new RpcChannel<Stage>(process, answers);

/** Reports to the test that a function of the system was called. */
export function note(name: string, ...args: readonly unknown[]): void {
  stage.tell('callSeen', { name, args });
}
