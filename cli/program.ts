import { readFile } from 'node:fs/promises';
import { Command, CommanderError } from 'commander';
import { ClientRefused, UnusableLocalKey } from '../gateway/clients/clients.ts';
import { PortForbidden } from '../gateway/gateway.ts';
import { DiskProblem } from '../gateway/disk.ts';
import { UnusableKey } from '../gateway/keys/keys.ts';
import { NotFound, Refused } from '../gateway/refused.ts';
import { StoreError } from '../gateway/store/store.ts';
import { dropKeys, type Launch } from '../hosting/child-process.ts';
import { UnusableBaseUrl } from '../gateway/upstreams/upstreams.ts';
import { addClientCommands } from './client-commands.ts';
import { commandForm } from './command-form.ts';
import { addDoctor } from './doctor.ts';
import { addHistoryCommands } from './history-commands.ts';
import { addKeyCommands } from './key-commands.ts';
import { addModelCommands } from './model-commands.ts';
import { addOpen } from './open.ts';
import { CommandFailed, UsageProblem } from './problem.ts';
import { addServe } from './serve.ts';
import { addRestore } from './restore.ts';
import { keychainProgram } from './secrets.ts';
import { readSettings } from './shell.ts';
import type { Shell } from './shell.ts';
import { addStatus } from './status.ts';
import { openTerminal } from './terminal.ts';
import { addVideoCommands } from './video-commands.ts';

const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

const afterHelp = (command: string) => `
Start here:
  try it with the sandbox
    ${command} serve
  use your own service
    ${command} key set --upstream https://models.example.com
  a local key for one more program
    ${command} clients add "my editor"
  a video from an image
    ${command} video new --image fox.png --prompt "A red fox runs in snow"

Environment:
  GATEHOUSE_UPSTREAM_URL   base address of the service
  GATEHOUSE_UPSTREAM_KEY   service key; goes before a kept one
  GATEHOUSE_LOCAL_KEY      one fixed local key, at least 24 characters of some variety
  GATEHOUSE_DATA_DIR       data folder
  GATEHOUSE_PORT           port, 6417 unless given
  GATEHOUSE_UI_PORT        port of the window, 6418 unless given
  NO_COLOR                 no colours

Exit codes: 0 done, 1 it did not work, 2 the command was called wrongly.`;

/**
 * Runs one command line to its end and then ends the process with the exit code that `--help` documents. `keychain` is the program
 * that makes one call to the keychain.
 */
export async function runProgram(
  process: NodeJS.Process,
  keychain: Launch = keychainProgram(),
): Promise<void> {
  const settings = readSettings(process.env);
  // From here on they are in the settings alone, and nothing that is started can inherit them.
  dropKeys(process.env);
  const shell: Shell = {
    terminal: openTerminal(process),
    input: process.stdin,
    args: process.argv.slice(2),
    command: commandForm(process.argv[1], process.env),
    environment: process.env,
    keychain,
    settings,
    now: Date.now,
  };
  const code = await run(shell);
  await new Promise((resolve) => process.stdout.write('', resolve));
  process.exit(code === EXIT.ok && shell.terminal.lost ? EXIT.failed : code);
}

async function run(shell: Shell): Promise<number> {
  try {
    await (await buildProgram(shell)).parseAsync(shell.args, { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    }
    const { code, message } = explain(error);
    if (message !== '') {
      shell.terminal.complain(message);
    }
    return code;
  }
}

function explain(error: unknown): { readonly code: number; readonly message: string } {
  if (
    error instanceof UsageProblem ||
    error instanceof UnusableBaseUrl ||
    error instanceof UnusableKey ||
    error instanceof UnusableLocalKey
  ) {
    return { code: EXIT.usage, message: error.message };
  }
  if (
    error instanceof CommandFailed ||
    error instanceof ClientRefused ||
    error instanceof StoreError ||
    error instanceof DiskProblem ||
    error instanceof PortForbidden ||
    error instanceof Refused ||
    error instanceof NotFound
  ) {
    return { code: EXIT.failed, message: error.message };
  }
  const trace = error instanceof Error ? (error.stack ?? error.message) : 'Something was thrown.';
  return { code: EXIT.failed, message: `This is a fault in Gatehouse.\n${trace}` };
}

async function buildProgram(shell: Shell): Promise<Command> {
  const version = await readVersion();
  const program = new Command(shell.command)
    .description('One local address for one account at a remote model service.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'explain the command')
    .helpCommand(false)
    .showHelpAfterError('Run it with --help to see how it is called.')
    .addHelpText('after', afterHelp(shell.command))
    .exitOverride()
    .configureOutput({
      writeOut: (text) => shell.terminal.print(text.replace(/\n$/u, '')),
      outputError: (text) => shell.terminal.complain(withoutArguments(text.trimEnd())),
    });
  addServe(program, shell, version);
  addOpen(program, shell);
  addKeyCommands(program, shell);
  addClientCommands(program, shell);
  addModelCommands(program, shell);
  addHistoryCommands(program, shell);
  addVideoCommands(program, shell, version);
  addStatus(program, shell);
  addDoctor(program, shell);
  addRestore(program, shell);
  return program;
}

/**
 * What commander says about a wrong call, without what was typed: that may be a key in the wrong place, which must not be repeated
 * into a log or onto a shared screen. Names of commands and options of ours stay.
 */
function withoutArguments(text: string): string {
  return text
    .replace(/(unknown (?:option|command)) '.*'/su, '$1')
    .replace(/( argument) '.*'( is invalid)/su, '$1$2')
    .replace(/(but got \d+): .*$/su, '$1.');
}

async function readVersion(): Promise<string> {
  // The sources and the bundle lie at different depths below the package's folder.
  const depth = import.meta.url.endsWith('.ts') ? '../package.json' : '../../package.json';
  const json: unknown = JSON.parse(await readFile(new URL(depth, import.meta.url), 'utf8'));
  return typeof json === 'object' && json !== null && 'version' in json
    ? String(json.version)
    : '0';
}
