import { z } from 'zod';
import { Outcome } from './outcome.ts';

/** The trials of one program; those that were not made are `null`. */
export const ProgramResult = z.object({
  id: z.string(),
  version: z.string(),
  /** The day on which it was tried, in UTC. */
  day: z.iso.date(),
  /** Why it could not be installed or tried; `null` when it was. */
  reason: z.string().nullable(),
  trials: z.object({
    connect: Outcome.nullable(),
    /** `null` also for a program that takes its address from its settings only. */
    start: Outcome.nullable(),
    task: Outcome.nullable(),
    /** `null` also for a program that starts no agents here. */
    agent: Outcome.nullable(),
    commands: Outcome.nullable(),
    calls: Outcome.nullable(),
    fixture: Outcome.nullable(),
    limit: Outcome.nullable(),
    runLimit: Outcome.nullable(),
    model: Outcome.nullable(),
    rate: Outcome.nullable(),
    /** `null` also for a program that takes no image without a terminal. */
    image: Outcome.nullable(),
    /** `null` also for a program with which it is not tried. */
    toolSearch: Outcome.nullable(),
    mistakes: Outcome.nullable(),
    /** `null` also for a program that reads only the files of the user. */
    places: Outcome.nullable(),
    /** `null` also for a program that tries none. */
    websocket: Outcome.nullable(),
    busy: Outcome.nullable(),
    failure: Outcome.nullable(),
    cut: Outcome.nullable(),
    interruption: Outcome.nullable(),
    revoked: Outcome.nullable(),
  }),
});
export type ProgramResult = z.infer<typeof ProgramResult>;

/** The file `results.json`, in the order of the programs. */
export const Results = z.array(ProgramResult);
export type Results = z.infer<typeof Results>;

/** Whether it could be tried, and every trial that was made showed what was expected. */
export function isAsExpected({ reason, trials }: ProgramResult): boolean {
  return (
    reason === null &&
    Object.values(trials).every((outcome) => outcome === null || outcome.unmet.length === 0)
  );
}
