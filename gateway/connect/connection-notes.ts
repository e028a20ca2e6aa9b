import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { COMMAND_INTRO, type ConnectionChoice } from '../../shared/connect/connection.ts';
import type { Model } from '../../shared/model.ts';
import { quoteForShell } from '../../shared/shell-quote.ts';
import { UserError } from '../errors.ts';
import type { Plan } from './plan.ts';

/** Names the models of a connection that the service does not list, as far as its list is known. */
export function describeUnlisted(
  models: readonly Model[],
  { model, smallModel = model }: ConnectionChoice,
): string[] {
  const listed = new Set(models.map(({ id }) => id));
  if (listed.size === 0) return [];
  return [...new Set([model, smallModel])]
    .filter((id) => !listed.has(id))
    .map((id) => `The service does not list the model ${id}.`);
}

/** @throws UserError when the folder of a project is no absolute path of a folder */
export async function requireFolder(project: string): Promise<void> {
  const isFolder =
    isAbsolute(project) && (await stat(project).catch(() => null))?.isDirectory() === true;
  if (!isFolder) throw new UserError(`There is no folder ${project}.`, 'project');
}

/** Names the files that others on this machine can read, and so the local key in them. */
export function describeReadable({ files }: Plan): string[] {
  if (process.platform === 'win32') return [];
  return files
    .filter(({ mode }) => (mode & 0o077) !== 0)
    .map(
      ({ program: { path } }) =>
        `Other users of this machine can read ${path}, and the local key in it. ${COMMAND_INTRO}chmod go= ${quoteForShell(path)}`,
    );
}
