import { z } from 'zod';
import { ProgramId } from '../connect/connection.ts';

/** The place in the window where a person mends what a check found. */
export const FindingAction = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['services', 'retention', 'clients', 'videos']) }),
  /** Connects the program once more. */
  z.object({ kind: z.literal('connect'), program: ProgramId }),
  /** Shows the failed or the repaired requests of a client, by its name. */
  z.object({ kind: z.enum(['failures', 'repairs']), client: z.string() }),
]);
export type FindingAction = z.infer<typeof FindingAction>;

/** One result of a check. */
export const Finding = z.object({
  /** The name of the check, stable for scripts. */
  check: z.string(),
  /** `warn`: it works, and a person may want to act on it. `unknown`: the check itself failed, or took too long. */
  state: z.enum(['ok', 'warn', 'fail', 'unknown']),
  sentence: z.string(),
  /** Lines that list what the sentence speaks of, in their order. */
  details: z.array(z.string()),
  /** The next step in words; empty when there is none, or when the command says it all. */
  advice: z.string(),
  /** The command that mends it; `null` where there is none. */
  command: z.string().nullable(),
  action: FindingAction.nullable(),
});
export type Finding = z.infer<typeof Finding>;

/** The parts of a check of everything. Each is asked for by itself, so that a slow one keeps no other waiting. */
export const DoctorPart = z.enum(['gatehouse', 'service', 'programs']);
export type DoctorPart = z.infer<typeof DoctorPart>;

/** The findings about one thing: Gatehouse, the service, or a program. */
export const FindingGroup = z.object({
  /** The part, or the id of the program. */
  id: z.string(),
  title: z.string(),
  findings: z.array(Finding),
});
export type FindingGroup = z.infer<typeof FindingGroup>;

/** The result of one part. */
export const DoctorRun = z.object({
  /** When it ended, Unix time in milliseconds. */
  at: z.number().int(),
  /** Of the programs, those that are connected or lead here. */
  groups: z.array(FindingGroup),
});
export type DoctorRun = z.infer<typeof DoctorRun>;
