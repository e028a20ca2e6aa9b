import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Sandbox } from '../../../sandbox/server.ts';
import { ExchangeRecord } from '../../../shared/exchange/exchange.ts';
import { openTestMachine, type TestMachine } from '../../kit/process/test-machine.ts';
import { PROGRAM } from '../../kit/process/program.ts';
import type { AgentProgram, TaskFiles } from './program.ts';
import { openProgramHome, type ProgramConnection, type ProgramHome } from './program-home.ts';
import { openPlayedSandbox } from './played-sandbox.ts';
import { type ProgramEnd, runProgram } from './run-program.ts';
import { AFTER, BEFORE, MODEL, type ScriptStep } from './script.ts';

/** Options of the copy of a data folder. */
const COPY = { recursive: true };

const History = z.object({ exchanges: z.array(ExchangeRecord) });

/** Returns the steps of the fixture that the sandbox plays. */
type Script = (this: void, task: TaskFiles) => readonly ScriptStep[];

interface Service {
  /** Base address without `/v1`. */
  readonly url: string;
  readonly key: string;
}

/** One run of a program. */
export interface PromptRun {
  readonly arguments: readonly string[];
  readonly timeLimitMs: number;
  /** When it resolves, the program is interrupted as by Ctrl-C. */
  readonly interruption?: Promise<void>;
  /** Changes the texts of its settings and the values of its variables for this run. */
  readonly edit?: (this: void, text: string) => string;
  /** Further variables of the terminal. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A program before a gateway and a sandbox that plays the task, all in folders of their own. */
export interface AgentBed extends AsyncDisposable {
  readonly machine: TestMachine;
  /** The gateway, as the program knows it. */
  readonly gateway: Service;
  readonly sandbox: Sandbox;
  readonly home: ProgramHome;
  readonly connection: ProgramConnection;
  readonly task: TaskFiles;
  /** Has the sandbox begin another script; `null`: it answers without one. */
  play(script: Script | null): Promise<void>;
  /** Runs one prompt without a terminal, with the gateway or with another service. */
  prompt(text: string, timeLimitMs: number, service?: Service): Promise<ProgramEnd>;
  /** Runs the program as it is connected. */
  run(run: PromptRun): Promise<ProgramEnd>;
  /** Runs the program by `gatehouse run`, without any connection. */
  start(text: string, timeLimitMs: number): Promise<ProgramEnd>;
  /** Puts the files of the task into their first state. */
  resetTask(): Promise<void>;
  /** Returns the exchanges of the program that are recorded, oldest first. */
  exchanges(): Promise<readonly ExchangeRecord[]>;
  /** Returns the recorded exchanges that were refused for their local key, whose client need not be known. */
  refusedKeys(): Promise<readonly ExchangeRecord[]>;
  /** Returns the text of the file of the task, or of its copy; empty when there is none. */
  read(file: 'notes.txt' | 'copy.txt'): Promise<string>;
}

/** What runs in a bed. */
export interface AgentBedOptions {
  readonly program: AgentProgram;
  /** The command of the program. */
  readonly command: string;
  /** Whether its folders stay. */
  readonly isKept: boolean;
  readonly script: Script;
}

/** Opens a bed and connects the program by `gatehouse connect`. */
export async function openAgentBed(options: AgentBedOptions): Promise<AgentBed> {
  const { program, command, isKept } = options;
  await using opening = new AsyncDisposableStack();
  // Some programs name files by their real path only.
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'gatehouse-agent-')));
  if (isKept) process.stderr.write(`Kept: ${folder}\n`);
  else opening.defer(async () => await rm(folder, { recursive: true }));
  const workspace = join(folder, 'workspace');
  const task = toTask(workspace);
  await resetTask(task);
  const played = opening.use(await openPlayedSandbox(options.script(task)));
  const machine = opening.use(await openTestMachine());
  if (isKept) opening.defer(async () => await cp(machine.dataDir, join(folder, 'data'), COPY));
  const { url, key } = played.current;
  const serving = opening.use(
    await machine.serve([], {
      environment: { GATEHOUSE_UPSTREAM_URL: url, GATEHOUSE_UPSTREAM_KEY: key },
    }),
  );
  const home = await openProgramHome({ folder: join(folder, 'home'), program, command, machine });
  const connection = await home.connect();
  const gateway = { url: `http://127.0.0.1:${serving.port}`, key: connection.key };
  const list = async (...filter: readonly string[]) => {
    const args = ['history', '--limit', '10000', ...filter];
    const { exchanges } = History.parse(await machine.json(args));
    return exchanges.toSorted((one, other) => one.startedAt - other.startedAt);
  };
  const closing = opening.move();
  return {
    ...toRunner({ options, machine, home, connection, gateway, workspace }),
    machine,
    home,
    task,
    gateway,
    connection,
    get sandbox() {
      return played.current;
    },
    play: async (script) => await played.play(script?.(task) ?? null),
    resetTask: async () => await resetTask(task),
    exchanges: async () => await list('--client', connection.client),
    refusedKeys: async () =>
      (await list()).filter(({ errorCode }) => errorCode === 'invalid_local_key'),
    read: async (file) => await readFile(join(workspace, file), 'utf8').catch(() => ''),
    [Symbol.asyncDispose]: async () => await closing.disposeAsync(),
  };
}

interface Place {
  readonly options: AgentBedOptions;
  readonly machine: TestMachine;
  readonly home: ProgramHome;
  readonly connection: ProgramConnection;
  readonly gateway: Service;
  readonly workspace: string;
}

/** Returns the ways in which a bed runs its program. */
function toRunner(place: Place): Pick<AgentBed, 'run' | 'prompt' | 'start'> {
  const { options, machine, home, connection, gateway, workspace } = place;
  const { program, command } = options;
  const own = { HOME: home.folder, ...program.environment };
  const run = async (prompt: PromptRun) => {
    const { arguments: args, edit = (text) => text, environment, ...limits } = prompt;
    const settings = await home.read(connection.files);
    const edited = mapValues(settings, (text) => (text === null ? null : edit(text)));
    const changed = Object.entries(edited).filter(([file, text]) => text !== settings[file]);
    await home.write(Object.fromEntries(changed));
    try {
      return await runProgram({
        command,
        args,
        cwd: workspace,
        environment: { ...mapValues({ ...own, ...connection.variables }, edit), ...environment },
        ...limits,
      });
    } finally {
      if (changed.length > 0) await home.write(settings);
    }
  };
  return {
    run,
    prompt: async (text, timeLimitMs, service = gateway) =>
      await run({
        arguments: program.toArguments(text),
        timeLimitMs,
        edit: (settings) =>
          settings.replaceAll(gateway.url, service.url).replaceAll(gateway.key, service.key),
      }),
    async start(text, timeLimitMs) {
      const args = [PROGRAM, 'run', '--model', MODEL, '--', command, ...program.toArguments(text)];
      return await runProgram({
        command: process.execPath,
        args,
        cwd: workspace,
        environment: { ...own, GATEHOUSE_DATA_DIR: machine.dataDir },
        timeLimitMs,
      });
    },
  };
}

async function resetTask({ workspace, path, before }: TaskFiles): Promise<void> {
  await rm(workspace, { recursive: true, force: true });
  await mkdir(workspace);
  await writeFile(path, `${before}\n`);
}

function toTask(workspace: string): TaskFiles {
  return {
    workspace,
    path: join(workspace, 'notes.txt'),
    copy: join(workspace, 'copy.txt'),
    before: BEFORE,
    after: AFTER,
    command: 'cp notes.txt copy.txt',
  };
}

function mapValues<Before, After>(
  values: Readonly<Record<string, Before>>,
  map: (value: Before) => After,
): Record<string, After> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}
