import { z } from 'zod';
import { ClientId } from '../client.ts';
import { ProgramId } from './connection.ts';

/** A place in which settings can stand that decide where the requests of a program go. */
export const SettingsPlace = z.object({
  /** `profile`: a file that a shell reads when it starts. `terminal`: the variables of the terminal that asks. */
  kind: z.enum(['file', 'profile', 'terminal']),
  /** Absolute path; empty for a terminal. */
  path: z.string(),
  exists: z.boolean(),
  /** Whether the program reads it: the profile of a shell that the person does not use, or a file that cannot be read, does not count. */
  counts: z.boolean(),
  /** Why it cannot be read; `null` when it can. */
  problem: z.string().nullable(),
  settings: z.array(
    z.object({
      decides: z.enum(['address', 'provider', 'key', 'further-key']),
      /** Its name for a person: that of a variable, or its path in the file. */
      name: z.string(),
      /** The line of a shell profile, from 1; otherwise `null`. */
      line: z.number().int().nullable(),
      /** The address without credentials, or the provider; `null` for a key, and for what is none of them. */
      text: z.string().nullable(),
      /**
       * `here`: as a connection sets it. `other-key`: a local key, but of another client, or one that no longer works. `computed`: the
       * shell computes it. `elsewhere`: anything else.
       */
      state: z.enum(['here', 'other-key', 'elsewhere', 'blank', 'computed']),
      /** Whether no stronger place has it. */
      wins: z.boolean(),
    }),
  ),
});
export type SettingsPlace = z.infer<typeof SettingsPlace>;

/** The settings of a program as they are, compared with those that lead to this Gatehouse. */
export const ProgramDiagnosis = z.object({
  program: ProgramId,
  /** The path of its executable; `null` when none was found. */
  executable: z.string().nullable(),
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
  /** The places of the settings that decide where its requests go, weakest first. */
  places: z.array(SettingsPlace),
  /** Whether the variables of the person's terminal are among them. */
  seesTerminal: z.boolean(),
  /** The shell of the person, by the variables of this process. `posix`: any that is not known, too. */
  shell: z.enum(['posix', 'fish', 'windows']),
  /** The folder whose settings are among them; `null` for none. */
  folder: z.string().nullable(),
  /** The file that connecting that folder would set, where the program has one. */
  folderFile: z.string().nullable(),
});
export type ProgramDiagnosis = z.infer<typeof ProgramDiagnosis>;
