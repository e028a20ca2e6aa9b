import { z } from 'zod';
import { ClientId } from '../client.ts';
import { TextProtocol } from '../chat/chat.ts';

/** The programs whose settings Gatehouse can change. */
export const PROGRAM_IDS = [
  'claude-code',
  'codex',
  'opencode',
  'qwen-code',
  'cline',
  'continue',
  'pi',
  'zed',
  'aider',
  'crush',
  'goose',
  'vscode-copilot',
  'raycast',
  'librechat',
] as const;
export const ProgramId = z.enum(PROGRAM_IDS);
export type ProgramId = z.infer<typeof ProgramId>;

const ModelName = z.string().trim().min(1).max(256);

/** What a program is to use. */
export const ConnectionChoice = z.object({
  program: ProgramId,
  model: ModelName,
  /** The model for small tasks in the background; the same as `model` when absent. */
  smallModel: ModelName.optional(),
  /** The folder of a project whose settings are changed instead of those of the user. */
  project: z.string().max(4096).optional(),
});
export type ConnectionChoice = z.infer<typeof ConnectionChoice>;

/** One line of a changed file. Values of keys are masked. */
export const DiffLine = z.object({
  kind: z.enum(['same', 'added', 'removed', 'gap']),
  text: z.string(),
});
export type DiffLine = z.infer<typeof DiffLine>;

/** The change of one file. */
export const FileChange = z.object({
  path: z.string(),
  change: z.enum(['create', 'edit', 'delete', 'none']),
  lines: z.array(DiffLine),
});
export type FileChange = z.infer<typeof FileChange>;

/** Introduces the command at the end of a note. */
export const COMMAND_INTRO = 'To prevent it: ';

/** A change that was computed and not made. */
export const ConnectionPreview = z.object({
  program: ProgramId,
  /** Stands for this change: it is made only while the files are as they were when it was computed. */
  token: z.string(),
  files: z.array(FileChange),
  /** Sentences for the person: what to do afterwards, and what stands in the way. */
  notes: z.array(z.string()),
});
export type ConnectionPreview = z.infer<typeof ConnectionPreview>;

/** A connection that was made. */
export const Connected = z.object({
  program: ProgramId,
  client: z.object({ id: ClientId, name: z.string() }),
  files: z.array(z.string()),
  /** The local key where a person must enter it in the program, shown only once; `null` where the files hold it. */
  keyToEnter: z.string().nullable(),
  notes: z.array(z.string()),
});
export type Connected = z.infer<typeof Connected>;

/** The files of a connection and what became of each when it was undone. */
export const UndoneFile = z.object({
  path: z.string(),
  /**
   * `restored`: it is byte for byte as it was before. `edited`: it had been changed since, and only our fields went. `deleted`: it
   * did not exist before. `gone`: somebody has deleted it. `unreadable`: it was left as it is, for the reason in `left`.
   */
  result: z.enum(['restored', 'edited', 'deleted', 'gone', 'unreadable']),
  /** Fields that hold other values than those we wrote, which stay. */
  left: z.array(z.string()),
});
export type UndoneFile = z.infer<typeof UndoneFile>;

/** The result of undoing a connection. */
export const Disconnected = z.object({
  program: ProgramId,
  files: z.array(UndoneFile),
  /** Whether all is undone. Otherwise it can be tried again when the files can be read. */
  complete: z.boolean(),
  /** Sentences for the person after the change. */
  notes: z.array(z.string()),
});
export type Disconnected = z.infer<typeof Disconnected>;

/** A program and its connection. */
export const ProgramState = z.object({
  id: ProgramId,
  name: z.string(),
  protocol: TextProtocol,
  /** The path of its command or of its settings; `null` when it was not found. */
  foundAt: z.string().nullable(),
  /** Whether only its settings were found, and its command was looked for in vain. */
  foundSettingsOnly: z.boolean(),
  /** Whether its settings were tried with the program itself, or taken from its documentation. */
  checked: z.enum(['tried', 'documented']),
  connection: z
    .object({
      client: z.object({ id: ClientId, name: z.string() }),
      /** Unix time in milliseconds. */
      at: z.number().int(),
      model: z.string(),
      /** The local address that its settings point to, without a path. */
      address: z.string(),
      /** The folder of the project whose settings were changed; `null` for those of the user, or when it is not known. */
      project: z.string().nullable(),
      files: z.array(
        z.object({
          path: z.string(),
          state: z.enum(['as-written', 'changed', 'gone']),
        }),
      ),
    })
    .nullable(),
});
export type ProgramState = z.infer<typeof ProgramState>;
