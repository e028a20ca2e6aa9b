import { z } from 'zod';
import { procedure } from '../procedure.ts';
import {
  Connected,
  ConnectionChoice,
  ConnectionPreview,
  Disconnected,
  ProgramId,
  ProgramState,
} from './connection.ts';
import { ProgramDiagnosis } from './diagnosis.ts';

const ProgramInput = z.object({ program: ProgramId });

/** Calls that change the settings of programs, and undo it. */
export const connectionsContract = {
  /** Lists the programs that can be connected, whether each is installed, and its connection. */
  list: procedure.output(z.array(ProgramState)),
  /** Reads the settings of a program and says whether they lead here. */
  diagnose: procedure.input(ProgramInput).output(ProgramDiagnosis),
  /** Computes the change that connects a program; makes none. */
  preview: procedure.input(ConnectionChoice).output(ConnectionPreview),
  /** Connects a program. `token`: that of the preview; a file that was changed since refuses it. */
  connect: procedure.input(ConnectionChoice.extend({ token: z.string() })).output(Connected),
  /** Computes what undoing a connection would change; makes no change. */
  previewUndo: procedure.input(ProgramInput).output(ConnectionPreview),
  /** Puts the settings of a program back, and ends its local key; its client stays. `token`: that of the preview, which a later change refuses. */
  disconnect: procedure
    .input(ProgramInput.extend({ token: z.string().nullable().default(null) }))
    .output(Disconnected),
};
