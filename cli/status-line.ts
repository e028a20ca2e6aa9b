import { parseArgs } from 'node:util';
import { readSession } from '../gateway/history/usage/read-session.ts';
import { findDataDir } from '../host/data-folder.ts';

/**
 * Answers `usage --session ID --json`, which status lines run several times a minute, without loading the program. Returns `null` for
 * anything that only the program can answer, a data folder that it has to prepare included.
 */
export function answerStatusLine(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): string | null {
  try {
    const { values } = parseArgs({
      args: args.slice(1),
      options: {
        session: { type: 'string' },
        json: { type: 'boolean' },
        data: { type: 'string' },
      },
    });
    if (args[0] !== 'usage' || values.session === undefined || values.json !== true) return null;
    return `${JSON.stringify(readSession(findDataDir(values.data, environment), values.session), null, 2)}\n`;
  } catch {
    // The program finds out what is wrong, and says so.
    return null;
  }
}
