import { once } from 'node:events';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { FixtureError } from '../../sandbox/fixture/json-reader.ts';
import { readFixture } from '../../sandbox/fixture/read-fixture.ts';
import { openSandbox, type Sandbox, type SandboxOptions } from '../../sandbox/server.ts';
import { formatCount, pluralize } from '../../shared/format.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandError, UsageError } from '../errors.ts';
import { hasCode } from '../output/publish-file.ts';
import { parseInteger } from '../arguments/parse-numbers.ts';
import { listenForSignals } from '../process/signals.ts';

interface SandboxFlags {
  readonly fixture?: string;
  readonly port: number;
  readonly key?: string;
  readonly json?: boolean;
}

/** The key of a sandbox with a fixture, so that a project can name it in its tests. */
const FIXTURE_KEY = 'sandbox-fixture-key';
/** Characters that a header can have. */
const KEY = /^[\x21-\x7e]{1,200}$/u;

const help = (command: string) => `
The sandbox answers like a service, at no cost, without Gatehouse. With a fixture it
gives the answers of that file, so that the tests of a program need no service; its
key is then ${FIXTURE_KEY} unless you give another one.

Examples:
  ${command} sandbox
  ${command} sandbox --fixture session.json --port 7100`;

/** Defines `gatehouse sandbox`, which runs the sandbox alone until it is stopped. */
export function addSandboxCommand(program: Command, context: CommandContext): void {
  program
    .command('sandbox')
    .description('run the sandbox alone, for tests without a service')
    .option('--fixture <file>', 'answer with the steps of this file')
    .option('--port <port>', 'port on 127.0.0.1; 0 for any free one', parsePort, 0)
    .option('--key <key>', 'the only key that is accepted (default: a new one)')
    .option('--json', 'print address and key as one line of JSON')
    .addHelpText('after', help(context.command))
    .action(async (flags: SandboxFlags) => await runSandbox(context, flags));
}

async function runSandbox(context: CommandContext, flags: SandboxFlags): Promise<void> {
  const { terminal } = context;
  const options = await toOptions(flags);
  await using sandbox = await open(options);
  const { signal } = listenForSignals(terminal, () => undefined);
  const steps = options.fixture?.steps.length ?? 0;
  if (flags.json === true) {
    const { url, key } = sandbox;
    terminal.printJsonLine({ url, key, steps });
  } else printAddress(context, sandbox, flags);
  if (!signal.aborted) await once(signal, 'abort');
  if (flags.fixture === undefined) return;
  const played = formatCount(steps - sandbox.stepsLeft);
  terminal.printError(`${played} of ${pluralize(steps, 'step')} played.`);
}

async function toOptions({ fixture, port, key }: SandboxFlags): Promise<SandboxOptions> {
  if (key !== undefined && !KEY.test(key)) {
    throw new UsageError('--key takes 1 to 200 ASCII characters without spaces.');
  }
  const chosenKey = key ?? (fixture === undefined ? undefined : FIXTURE_KEY);
  return {
    port,
    ...(chosenKey === undefined ? {} : { key: chosenKey }),
    ...(fixture === undefined ? {} : { fixture: await read(fixture) }),
  };
}

async function read(file: string) {
  try {
    return await readFixture(file);
  } catch (error) {
    if (error instanceof FixtureError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

async function open(options: SandboxOptions): Promise<Sandbox> {
  try {
    return await openSandbox(options);
  } catch (error) {
    if (!hasCode(error, ['EADDRINUSE', 'EACCES'])) throw error;
    throw new CommandError(
      `Port ${options.port} cannot be used: another program has it, or the system refuses it. Give another --port.`,
      { cause: error },
    );
  }
}

function printAddress({ terminal }: CommandContext, sandbox: Sandbox, flags: SandboxFlags): void {
  const { url, key, stepsLeft } = sandbox;
  const lines = [
    terminal.bold('The sandbox is running.'),
    '',
    '  Base addresses',
    `    Chat Completions, Responses   ${terminal.bold(`${url}/v1`)}`,
    `    Messages                      ${terminal.bold(url)}`,
    '',
    `  Key         ${terminal.bold(key)}`,
  ];
  for (const line of lines) terminal.print(line);
  if (flags.fixture !== undefined) {
    const name = `${basename(flags.fixture)}, ${pluralize(stepsLeft, 'step')}`;
    terminal.printText(name, { first: '  Fixture     ', width: 14 });
  }
  terminal.print('');
  terminal.print(terminal.dim('  Ctrl-C stops it.'));
}

function parsePort(text: string): number {
  return parseInteger(text, { name: '--port', from: 0, to: 65_535 });
}
