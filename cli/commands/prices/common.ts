import type { Command } from 'commander';
import { parseTime } from '../../../shared/parse-time.ts';
import { UsageError } from '../../errors.ts';

/** The options of all of these commands. */
export interface CommonFlags {
  readonly json?: boolean;
  readonly data?: string;
}

export function withCommonFlags(command: Command): Command {
  return command.option('--json', 'print JSON').option('--data <dir>', 'data folder');
}

/** Parses the local date from which a price holds, in Unix milliseconds; 0, always, when it is not given. @throws UsageError */
export function parseFrom(text: string | undefined): number {
  if (text === undefined) return 0;
  const time = parseTime(text);
  if (time === null || time.at < 0) {
    throw new UsageError('--from takes a date such as 2026-11-21 or 2026-11-21T09:30.');
  }
  return time.at;
}
