import type { DoctorPart, DoctorRun, Finding, FindingGroup } from '../../shared/doctor/finding.ts';
import type { ProgramState } from '../../shared/connect/connection.ts';
import { checkFileModes } from './check-databases.ts';
import { checkFreeSpace, checkNode, listFolderChecks, type OpenFolder } from './check-folder.ts';
import { checkProgram, type ProgramCheckDeps } from './check-programs.ts';
import { checkRequests, type ModelTrial } from './check-requests.ts';
import { formatReport, type ReportParts } from './report.ts';
import { type Check, type CheckLimits, runChecks } from './run-checks.ts';
import { SharedRuns } from './shared-runs.ts';

export { type CheckedFolder, checkDatabases, checkFileModes } from './check-databases.ts';
export {
  checkFolder,
  checkFreeSpace,
  checkNode,
  describeDamagedVideos,
  listFolderChecks,
} from './check-folder.ts';
export { checkProgram } from './check-programs.ts';
export { checkRequests } from './check-requests.ts';
export {
  describeAnswer,
  describeKeyFile,
  describeProxy,
  describeUnusableKey,
  type ServiceAnswer,
  TO_SERVICES,
} from './check-service.ts';
export { fail, formatAdvice, formatSentence, ok, warn } from './finding.ts';
export { formatReport } from './report.ts';
export type { Check } from './run-checks.ts';

/** What a running engine gives its checks. */
export interface DoctorOptions {
  readonly folder: OpenFolder;
  /** Checks of the running engine itself, such as its port. */
  readonly ownChecks: readonly Check[];
  /** Checks of the service in use at this moment. */
  readonly serviceChecks: () => readonly Check[];
  /** Opens what the check of programs needs; `null` where the programs of the person are not on this machine. */
  readonly programs: () => Promise<ProgramCheckDeps | null>;
  /** Returns what a trial of a model needs. */
  readonly trial: () => Omit<ModelTrial, 'model' | 'signal'>;
  readonly report: Omit<ReportParts, 'findings' | 'diagnostics'>;
  /** Unix time in milliseconds. */
  readonly now: () => number;
  /** The time of each check. */
  readonly timeoutMs?: number;
}

/** The checks of a running engine. Calls at the same moment share a run, which stops when the last of them is aborted. */
export interface Doctor {
  /** Checks one part. No check costs anything. */
  run(part: DoctorPart, signal?: AbortSignal): Promise<DoctorRun>;
  /** Sends a request of each protocol to a model. The service may charge for them. */
  try(model: string, signal?: AbortSignal): Promise<Finding[]>;
  /** Checks all parts and formats a report with the state of the engine. */
  report(diagnostics: string, signal?: AbortSignal): Promise<string>;
}

/** Longer than the time limits of the requests and of the keychain, whose own messages say more. */
const CHECK_TIMEOUT_MS = 30_000;
const PARTS: readonly DoctorPart[] = ['gatehouse', 'service', 'programs'];

/** Opens the checks of a running engine. */
export function openDoctor(options: DoctorOptions): Doctor {
  const { timeoutMs = CHECK_TIMEOUT_MS } = options;
  const runs = new SharedRuns<DoctorRun>();
  const trials = new SharedRuns<Finding[]>();
  const run: Doctor['run'] = async (part, signal) =>
    await runs.join(
      part,
      async (shared) => ({
        groups: await checkPart(part, options, { timeoutMs, signal: shared }),
        at: options.now(),
      }),
      signal,
    );
  return {
    run,
    try: async (model, signal) =>
      await trials.join(
        model,
        async (shared) => await checkRequests({ ...options.trial(), model, signal: shared }),
        signal,
      ),
    report: async (diagnostics, signal) => {
      const found = await Promise.all(PARTS.map(async (part) => await run(part, signal)));
      const findings = found.flatMap(({ groups }) => groups.flatMap((group) => group.findings));
      return formatReport({ ...options.report, findings, diagnostics });
    },
  };
}

async function checkPart(
  part: DoctorPart,
  options: DoctorOptions,
  limits: CheckLimits,
): Promise<FindingGroup[]> {
  switch (part) {
    case 'gatehouse': {
      const checks = [...options.ownChecks, ...listOwnChecks(options.folder)];
      return [toGroup(part, 'Gatehouse', await runChecks(checks, limits))];
    }
    case 'service':
      return [toGroup(part, 'Service', await runChecks(options.serviceChecks(), limits))];
    case 'programs':
      return await checkPrograms(options, limits);
  }
}

function toGroup(id: string, title: string, findings: readonly Finding[]): FindingGroup {
  return { id, title, findings: [...findings] };
}

function listOwnChecks(folder: OpenFolder): readonly Check[] {
  const { dataDir } = folder;
  return [
    { name: 'node', run: async () => [checkNode()] },
    { name: 'disk', run: async () => [checkFreeSpace(dataDir)] },
    { name: 'mode', run: async () => [checkFileModes(dataDir)].filter((one) => one !== null) },
    ...listFolderChecks(folder),
  ];
}

/** Checks the programs that are connected or lead here, each within the time limit. */
async function checkPrograms(
  { programs }: DoctorOptions,
  limits: CheckLimits,
): Promise<FindingGroup[]> {
  const listed: ListedProgram[] = [];
  const list = async () => {
    listed.push(...(await listPrograms(await programs())));
    return [];
  };
  const failed = await runChecks([{ name: 'programs', run: list }], limits);
  if (failed.length > 0) return [toGroup('programs', 'Programs', failed)];
  const groups = await Promise.all(
    listed.map(async ({ state, deps }) => {
      const run = async () => await checkProgram(state, deps, false);
      return toGroup(state.id, state.name, await runChecks([{ name: state.id, run }], limits));
    }),
  );
  return groups.filter(({ findings }) => findings.length > 0);
}

interface ListedProgram {
  readonly state: ProgramState;
  readonly deps: ProgramCheckDeps;
}

/** Lists the programs that are connected, or on this machine. */
async function listPrograms(deps: ProgramCheckDeps | null): Promise<readonly ListedProgram[]> {
  const states = (await deps?.connections.list()) ?? [];
  return states.flatMap((state) =>
    deps === null || (state.connection === null && state.foundAt === null) ? [] : [{ state, deps }],
  );
}
