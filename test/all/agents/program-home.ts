import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { Connected, Disconnected } from '../../../shared/connect/connection.ts';
import type { TestMachine } from '../../kit/process/test-machine.ts';
import type { AgentProgram } from './program.ts';
import { MODEL } from './script.ts';

/** The settings of a person for each program, as they are before it is connected. */
const HOMES = join(import.meta.dirname, 'homes');
const LOCAL_KEY = /gh-[\w-]{43}/u;

const Findings = z.object({
  findings: z.array(z.object({ state: z.enum(['ok', 'warn', 'fail']), sentence: z.string() })),
});

const Environments = z.object({
  environments: z.array(z.object({ id: z.string(), name: z.string() })),
});
const Variables = z.object({ variables: z.record(z.string(), z.string()) });

/** The contents of settings files by their paths below the home folder; `null` for a file that does not exist. */
export type SettingsFiles = Readonly<Record<string, string | null>>;

/** How a program is connected: by files that were changed, or by variables. */
export interface ProgramConnection {
  /** The name of its client. */
  readonly client: string;
  readonly key: string;
  /** Paths below the home folder. */
  readonly files: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** Its files as the person had left them. */
  readonly before: SettingsFiles;
}

/** The home folder of a program, in which the real commands connect it. */
export interface ProgramHome {
  readonly folder: string;
  /** Reads these settings files. */
  read(files: readonly string[]): Promise<SettingsFiles>;
  /** Writes settings files; those that are `null` are left. */
  write(files: SettingsFiles): Promise<void>;
  /** Runs `gatehouse connect`. Rejects with what it said when it failed. */
  connect(): Promise<ProgramConnection>;
  /** Runs `gatehouse disconnect`. */
  disconnect(): Promise<Disconnected>;
  /** Runs `gatehouse doctor` and returns its findings that are failures. */
  findFailures(): Promise<readonly string[]>;
}

interface HomeOptions {
  readonly folder: string;
  readonly program: AgentProgram;
  /** The command of the program. */
  readonly command: string;
  readonly machine: TestMachine;
}

/** Creates a home folder with the settings of a person. */
export async function openProgramHome(options: HomeOptions): Promise<ProgramHome> {
  const { folder, program, command, machine } = options;
  await mkdir(folder, { recursive: true });
  const template = join(HOMES, program.id);
  if (existsSync(template)) await cp(template, folder, { recursive: true });
  const PATH = [dirname(command), process.env['PATH']].join(delimiter);
  const gatehouse = async (...args: readonly string[]) =>
    await machine.json(args, { environment: { HOME: folder, PATH } });
  const read = async (files: readonly string[]) => await readFiles(folder, files);
  const readVariables = async (name: string): Promise<ProgramConnection> => {
    const { environments } = Environments.parse(await gatehouse('env'));
    const { variables } = Variables.parse(await gatehouse('env', name, '--model', MODEL));
    const [key] = LOCAL_KEY.exec(Object.values(variables).join('\n')) ?? [];
    const title = environments.find(({ id }) => id === name)?.name;
    if (key === undefined || title === undefined) throw new Error('No variable has the local key.');
    return { client: `${title} (env)`, key, files: [], variables, before: {} };
  };
  return {
    folder,
    read,
    async write(files) {
      for (const [file, content] of Object.entries(files)) {
        if (content !== null) await writeFile(join(folder, file), content);
      }
    },
    async connect() {
      if (program.variables !== undefined) return await readVariables(program.variables);
      const made = Connected.parse(
        await gatehouse('connect', program.id, '--yes', '--model', MODEL),
      );
      const files = made.files.map((path) => relative(folder, path));
      const [key] = LOCAL_KEY.exec(Object.values(await read(files)).join('\n')) ?? [];
      if (key === undefined) throw new Error('No settings file has the local key.');
      return {
        client: made.client.name,
        key,
        files,
        variables: {},
        before: await readFiles(template, files),
      };
    },
    async disconnect() {
      const Result = z.object({ results: z.tuple([Disconnected]) });
      return Result.parse(await gatehouse('disconnect', program.id, '--yes')).results[0];
    },
    async findFailures() {
      const { findings } = Findings.parse(await gatehouse('doctor', program.id));
      return findings.flatMap(({ state, sentence }) => (state === 'fail' ? [sentence] : []));
    },
  };
}

async function readFiles(folder: string, files: readonly string[]): Promise<SettingsFiles> {
  const contents = files.map(async (file) => {
    const text = await readFile(join(folder, file), 'utf8').catch(() => null);
    return [file, text] as const;
  });
  return Object.fromEntries(await Promise.all(contents));
}
