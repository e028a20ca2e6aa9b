import { z } from 'zod';
import { ClientId } from '../client.ts';
import { ProgramId } from './connection.ts';

/** The settings of a program as they are, compared with those that lead to this Gatehouse. */
export const ProgramDiagnosis = z.object({
  program: ProgramId,
  files: z.array(
    z.object({
      path: z.string(),
      exists: z.boolean(),
      /** Why it cannot be read; `null` when it can. */
      problem: z.string().nullable(),
    }),
  ),
  /** The addresses of this machine in the fields that a connection sets. */
  addresses: z.array(
    z.object({
      address: z.string(),
      /** `other-path`: it leads here, with another path than the program needs. `other-port`: it leads to something else. */
      state: z.enum(['right', 'other-path', 'other-port']),
      expected: z.string(),
    }),
  ),
  /** The local key in these fields. `retired`: it was revoked or replaced. */
  key: z.object({
    state: z.enum(['absent', 'valid', 'expired', 'retired', 'unknown']),
    client: z.object({ id: ClientId, name: z.string() }).nullable(),
  }),
});
export type ProgramDiagnosis = z.infer<typeof ProgramDiagnosis>;
