import { findStoredRuns } from '../../../gateway/bodies/read-file.ts';
import type { RunDetail } from '../../../shared/run/run.ts';
import { CommandError, UsageError } from '../../errors.ts';

/** Finds a run in the file of the bodies by its id or the beginning of it. @throws UsageError; CommandError when there is none, or several */
export function findRun(file: string, id: string): RunDetail {
  const digits = /^(?:run-|ex-)?([\da-f]{1,16})$/iu.exec(id)?.[1];
  if (digits === undefined) {
    throw new UsageError(
      'The id of a run is run- and hexadecimal digits; its beginning is enough.',
    );
  }
  const prefix = `run-${digits.toLowerCase()}`;
  const [run, other] = findStoredRuns(file, prefix);
  if (run === undefined) throw new CommandError(`There is no run whose id begins with ${prefix}.`);
  if (other !== undefined) {
    throw new CommandError(`Several ids begin with ${prefix}. Give more characters.`);
  }
  return run;
}
