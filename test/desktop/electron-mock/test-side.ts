import type { Control, Stage } from './transport/letters.ts';
import { Wire } from './transport/wire.ts';

/** The double answers the test by these. Each part adds its own. */
export const answers: Partial<Control> = {};

/** The test that started this process. */
export const stage = new Wire<Stage>(process, answers);

/** Tells the test that something of the system was called. */
export function note(name: string, ...args: readonly unknown[]): void {
  stage.tell('callSeen', { name, args });
}
