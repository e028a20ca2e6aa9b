import type { Control, Stage } from './letters.ts';
import { Wire } from './wire.ts';

/** What the test does to the double. Each part adds what it answers. */
export const answers: Partial<Control> = {};

/** The test that started this process. */
export const stage = new Wire<Stage>(process, answers);

/** Tells the test that something of the system was called. */
export function note(name: string, ...args: readonly unknown[]): void {
  stage.tell('callSeen', { name, args });
}
