import type { ConnectionChoice } from '../../shared/connect/connection.ts';
import { UserError } from '../errors.ts';
import { requireFolder } from './connection-notes.ts';
import type { Journal, JournalEntry } from './journal/journal.ts';
import { makePlan, type Plan } from './plan.ts';
import type { ConnectableProgram, ConnectValues, UserPlace } from './program.ts';

interface PlanContext {
  readonly journal: Journal;
  readonly old: JournalEntry | null;
  readonly place: UserPlace;
}

/** Computes the changes that connect a program, in the files of the user or of a project; writes nothing. @throws UserError */
export async function planChoice(
  program: ConnectableProgram,
  { project }: ConnectionChoice,
  values: ConnectValues,
  { journal, old, place }: PlanContext,
): Promise<Plan> {
  const files =
    project === undefined ? program.files(place, values) : program.projectFiles?.(project, values);
  if (project !== undefined) await requireFolder(project);
  if (files === undefined) {
    throw new UserError(
      `The settings of a project cannot choose a service in ${program.name}. Leave the project out to change your own settings.`,
      'project',
    );
  }
  if (files.length === 0) {
    throw new UserError(
      `The settings of ${program.name} have no fixed place. Name the folder that holds them as the project.`,
      'project',
    );
  }
  return await makePlan(journal, old, files);
}
