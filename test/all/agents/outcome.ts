import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';

/** What a trial of a program showed. */
export const Outcome = z.object({
  /** What was seen, as short phrases. */
  facts: z.array(z.string()),
  /** What was expected and not seen; empty when all was. */
  unmet: z.array(z.string()),
  /** The text that the program showed to its user, where the trial is about it. */
  shown: z.string().nullable(),
});
export type Outcome = z.infer<typeof Outcome>;

const MAX_SHOWN = 1_000;

/** Collects what a trial shows. */
export class Observation {
  readonly #facts: string[] = [];
  readonly #unmet: string[] = [];

  see(fact: string): void {
    this.#facts.push(fact);
  }

  /** Notes an expectation if it is not met. */
  expect(expectation: string, isMet: boolean): void {
    if (!isMet) this.#unmet.push(expectation);
  }

  toOutcome(shown: string | null = null): Outcome {
    return { facts: this.#facts, unmet: this.#unmet, shown };
  }

  /** Returns the outcome with the end of what a program showed if something was not met. */
  toOutcomeOf(shown: string): Outcome {
    return this.toOutcome(this.#unmet.length === 0 ? null : shown.slice(-MAX_SHOWN));
  }
}

const LOOK_EVERY_MS = 200;
const LOOK_FOR_MS = 20_000;

/** Looks again and again until there is something, for at most 20 seconds. */
export async function waitFor<Found>(
  look: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const until = performance.now() + LOOK_FOR_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined || performance.now() > until) return found;
    await pause(LOOK_EVERY_MS);
  }
}
