import { PROGRAMS as CONNECTABLE } from '../../../gateway/connect/programs/programs.ts';
import { ProgramId } from '../../../shared/connect/connection.ts';
import { type AgentBed, openAgentBed } from './agent-bed.ts';
import type { AgentProgram } from './program.ts';
import type { ProgramResult } from './results.ts';
import { AGENT_TASK, scriptAgent, scriptTask } from './script.ts';
import { tryAgent } from './trials/agent.ts';
import { tryCalls } from './trials/api.ts';
import { tryCommands } from './trials/command-line.ts';
import { tryConnection, tryStart } from './trials/connect.ts';
import { tryFixture } from './trials/fixture.ts';
import { tryImage } from './trials/image.ts';
import { tryInterruption } from './trials/interrupted.ts';
import { tryRefusedModel, tryRunLimit, tryUsedUpLimit } from './trials/limit.ts';
import { tryMistakes } from './trials/mistakes.ts';
import { tryPlaces } from './trials/places.ts';
import { tryRateLimit } from './trials/rate.ts';
import { cutOnce, refuseTwice, tryRecovery } from './trials/recovery.ts';
import { tryRevokedKey } from './trials/revoked.ts';
import { tryTask } from './trials/task.ts';
import { tryToolSearch } from './trials/tool-search.ts';
import { tryWebSocket } from './trials/websocket.ts';

type Trials = ProgramResult['trials'];
const NO_TRIALS: Trials = {
  connect: null,
  start: null,
  task: null,
  agent: null,
  commands: null,
  calls: null,
  fixture: null,
  limit: null,
  runLimit: null,
  model: null,
  rate: null,
  image: null,
  toolSearch: null,
  mistakes: null,
  places: null,
  websocket: null,
  busy: null,
  failure: null,
  cut: null,
  interruption: null,
  revoked: null,
};

export interface ProgramToTry {
  readonly program: AgentProgram;
  /** Its command. */
  readonly command: string;
  /** Whether its folders stay. */
  readonly isKept: boolean;
}

/** The parts of the trials, each with folders of its own. */
export const PARTS = {
  connect: tryConnecting,
  task: tryRun,
  agent: tryOwnAgent,
  refusals: tryRefusals,
  rate: tryRate,
  service: tryService,
  places: tryAllPlaces,
} as const;
export type Part = keyof typeof PARTS;

/** Makes these parts of the trials of a program, one after the other. The others are as before. */
export async function tryProgram(
  tried: ProgramToTry,
  parts: readonly Part[],
  before: Trials = NO_TRIALS,
): Promise<ProgramResult> {
  let trials = before;
  for (const part of parts) trials = { ...trials, ...(await PARTS[part](tried)) };
  return toResult(tried.program, { trials });
}

/** Creates the result of a program, without trials unless they are given. */
export function toResult(
  { id, package: { version } }: AgentProgram,
  { reason = null, trials = NO_TRIALS }: Partial<Pick<ProgramResult, 'reason' | 'trials'>>,
): ProgramResult {
  return { id, version, day: new Date().toISOString().slice(0, 10), reason, trials };
}

async function tryRun(tried: ProgramToTry): Promise<Partial<Trials>> {
  await using bed = await openTaskBed(tried);
  const { outcome: task, run } = await tryTask(tried.program, bed);
  const isRead = run !== null && task.unmet.length === 0;
  return {
    task,
    commands: isRead ? await tryCommands(tried.program, bed, run) : null,
    calls: isRead ? await tryCalls(bed, run) : null,
    fixture: isRead ? await tryFixture(bed, run) : null,
    limit: await tryUsedUpLimit(tried.program, bed),
  };
}

async function tryConnecting(tried: ProgramToTry): Promise<Partial<Trials>> {
  const { program } = tried;
  await using bed = await openTaskBed(tried);
  const connect = await tryConnection(bed);
  await bed.play((task) => scriptTask(program, task));
  return { connect, start: canStart(program) ? await tryStart(bed) : null };
}

/** Whether `gatehouse run` can start a program without a change of its settings. */
function canStart({ id }: AgentProgram): boolean {
  const definition = ProgramId.safeParse(id);
  return !definition.success || CONNECTABLE[definition.data].start !== undefined;
}

/** Makes the trials with mistakes in the settings and failures of the service. */
async function tryService(tried: ProgramToTry): Promise<Partial<Trials>> {
  const { program } = tried;
  await using bed = await openTaskBed(tried);
  return {
    image: await tryImage(program, bed),
    toolSearch: await tryToolSearch(program, bed),
    mistakes: await tryMistakes(program, bed),
    websocket: await tryWebSocket(program, bed),
    busy: await tryRecovery(program, bed, refuseTwice(program, 429)),
    failure: await tryRecovery(program, bed, refuseTwice(program, 500)),
    cut: await tryRecovery(program, bed, cutOnce(program)),
    interruption: await tryInterruption(program, bed),
    // The last one, because it takes the connection back.
    revoked: await tryRevokedKey(program, bed),
  };
}

async function tryAllPlaces(tried: ProgramToTry): Promise<Partial<Trials>> {
  await using bed = await openTaskBed(tried);
  return { places: await tryPlaces(tried.program, bed) };
}

async function tryRefusals(tried: ProgramToTry): Promise<Partial<Trials>> {
  const { program } = tried;
  await using bed = await openTaskBed(tried);
  // The first one uses no step of the task.
  const model = await tryRefusedModel(program, bed);
  return { model, runLimit: await tryRunLimit(program, bed) };
}

async function tryRate(tried: ProgramToTry): Promise<Partial<Trials>> {
  await using bed = await openTaskBed(tried);
  return { rate: await tryRateLimit(tried.program, bed) };
}

async function tryOwnAgent(tried: ProgramToTry): Promise<Partial<Trials>> {
  const calls = tried.program.callAgent?.(AGENT_TASK);
  if (calls === undefined) return { agent: null };
  await using bed = await openAgentBed({ ...tried, script: () => scriptAgent(calls) });
  return { agent: await tryAgent(bed, calls) };
}

async function openTaskBed(tried: ProgramToTry): Promise<AgentBed> {
  return await openAgentBed({ ...tried, script: (task) => scriptTask(tried.program, task) });
}
