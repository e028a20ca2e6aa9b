import { parseArgs } from 'node:util';
import { readSession } from '../gateway/history/usage/read-session.ts';
import { findDataDir } from '../host/data-folder.ts';
import type { CommandLine } from '../host/process/child-process.ts';
import { openTerminal } from './output/terminal.ts';

/**
 * Runs a command line to its end, and exits. Status lines run `usage --session ID --json` several times a minute, so that is answered
 * without loading the program, unless only the program can. `keychain` is the program that makes one call to the keychain.
 */
export async function runCommand(process: NodeJS.Process, keychain?: CommandLine): Promise<void> {
  const report = readForStatusLine(process);
  if (report === null) {
    const { runProgram } = await import('./program.ts');
    await runProgram(process, keychain);
    return;
  }
  const terminal = openTerminal(process);
  terminal.printJson(report);
  await new Promise((resolve) => process.stdout.write('', resolve));
  process.exit(terminal.hasLostOutput ? 1 : 0);
}

function readForStatusLine({ argv, env }: NodeJS.Process): object | null {
  const [command, ...args] = argv.slice(2);
  if (command !== 'usage' || !args.includes('--session') || !args.includes('--json')) return null;
  const text = { type: 'string' } as const;
  const options = { session: text, json: { type: 'boolean' }, data: text } as const;
  try {
    const { session, data } = parseArgs({ args, options }).values;
    return session === undefined ? null : readSession(findDataDir(data, env), session);
  } catch {
    // The program finds out what is wrong, and says so.
    return null;
  }
}
