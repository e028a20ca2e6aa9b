import {
  type ChildProcess,
  type ChildProcessByStdio,
  execFile,
  type ExecFileOptions,
  spawn,
  type SpawnOptions,
  type SpawnOptionsWithStdioTuple,
  type StdioNull,
  type StdioPipe,
} from 'node:child_process';
import { resolve as resolvePath } from 'node:path';
import spawnAnywhere from 'cross-spawn';
import type { Readable, Writable } from 'node:stream';

/** Environment variables that contain a key. Windows ignores the case of their names. */
const KEY_VARIABLE = /^GATEHOUSE_\w*KEY$/iu;

/** A program with its arguments. No shell interprets them. */
export interface CommandLine {
  readonly program: string;
  readonly args: readonly string[];
}

/** Starts a program. It gets `env`, or the environment of this process, without the keys of Gatehouse. */
export function startProgram(
  commandLine: CommandLine,
  options: SpawnOptionsWithStdioTuple<StdioPipe, StdioPipe, StdioNull>,
): ChildProcessByStdio<Writable, Readable, null>;
export function startProgram(commandLine: CommandLine, options: SpawnOptions): ChildProcess;
export function startProgram({ program, args }: CommandLine, options: SpawnOptions): ChildProcess {
  return spawn(program, args, { ...options, env: withoutKeyVariables(options.env ?? process.env) });
}

/** Starts this program once more, with other arguments. It outlives this process, and gets the keys that are in `env`. */
export function startGatehouse(
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): ChildProcess {
  const script = resolvePath(process.argv[1] ?? '');
  const options = { cwd, env, stdio: 'ignore', detached: true, windowsHide: true } as const;
  return spawn(process.execPath, [script, ...args], options);
}

/** Starts a program in this terminal. It gets the environment of this process without the keys of Gatehouse, and `variables`. */
export function startInTerminal(
  { program, args }: CommandLine,
  environment: NodeJS.ProcessEnv,
  variables: Readonly<Record<string, string>>,
): ChildProcess {
  const env = { ...withoutKeyVariables(environment), ...variables };
  // Windows starts scripts such as `claude.cmd` by its shell only, for which this quotes the arguments.
  return spawnAnywhere(program, args, { stdio: 'inherit', env });
}

/** Runs a program to its end and resolves with its output. Rejects when it does not start, or fails. `env` as above. */
export async function runProgram(
  { program, args }: CommandLine,
  options: ExecFileOptions,
): Promise<string> {
  const env = withoutKeyVariables(options.env ?? process.env);
  return await new Promise((resolve, reject) => {
    execFile(program, args, { ...options, env, encoding: 'utf8' }, (error, printed) =>
      error === null ? resolve(printed) : reject(error),
    );
  });
}

/** Removes the keys from the environment of this process, for programs that libraries start in its name. */
export function removeKeyVariables(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(environment))
    if (KEY_VARIABLE.test(name)) delete environment[name];
}

function withoutKeyVariables(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const clean = { ...environment };
  removeKeyVariables(clean);
  return clean;
}
