import { join } from 'node:path';
import type { Command } from 'commander';
import { describeUnknown } from './connect/connections.ts';
import { ProgramId } from '../../shared/connect/connection.ts';
import type { Finding } from '../../shared/doctor/finding.ts';
import { pluralize } from '../../shared/format.ts';
import {
  checkDatabases,
  checkFileModes,
  checkFolder,
  checkFreeSpace,
  checkNode,
  checkRequests,
  fail,
  formatAdvice,
  formatSentence,
  listFolderChecks,
  ok,
  warn,
} from '../../gateway/doctor/doctor.ts';
import { InvalidBaseUrlError } from '../../gateway/upstreams/upstreams.ts';
import { inspect, DATABASE_KINDS, StoreError } from '../../gateway/store/store.ts';
import { prepareDataDir } from '../../host/data-folder.ts';
import { readLockOwner } from '../../host/lock/instance-lock.ts';
import { describePortOwner, isPortFree } from '../../host/process/port-owner.ts';
import { parsePort } from '../arguments/parse-numbers.ts';
import { withEngine } from '../engine-client.ts';
import { CommandError, UsageError } from '../errors.ts';
import { singleLine } from '../output/format-video.ts';
import { withRepositories, type CommandRepositories } from '../with-repositories.ts';
import { checkPrograms } from './doctor-programs.ts';
import { writeDoctorReport } from './doctor-report.ts';
import { checkService } from './doctor-service.ts';
import type { CommandContext } from '../command-context.ts';

interface DoctorFlags {
  readonly data?: string;
  readonly upstream?: string;
  readonly port?: string;
  readonly try?: string;
  readonly report?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Defines `gatehouse doctor`, which checks everything Gatehouse needs and advises on every problem. */
export function addDoctorCommand(program: Command, context: CommandContext): void {
  program
    .command('doctor [client]')
    .description(
      'check everything Gatehouse needs, or the settings of one program; exit code 1 when something fails',
    )
    .option('--upstream <url>', 'base address of the service')
    .option('--port <port>', 'port of the running Gatehouse')
    .option('--try <model>', 'send a short request of each protocol, which the service may charge')
    .option('--report <file>', 'write what was found to a file for a bug report, shown before')
    .option('--yes', 'with --report: ask nothing')
    .option('--json', 'print JSON')
    .option('--data <dir>', 'data folder')
    .action(async (client: string | undefined, flags: DoctorFlags) => {
      const findings = [
        ...(client === undefined
          ? await runChecks(context, flags)
          : await checkOneProgram(context, client, flags)),
      ];
      if (flags.try !== undefined) {
        findings.push(...(await tryModel(context, flags.data, flags.try)));
      }
      if (flags.report === undefined) report(context, flags, findings);
      else await writeDoctorReport(context, findings, { ...flags, file: flags.report });
    });
}

/** Sends requests to a model through the running Gatehouse. @throws CommandError when none runs */
async function tryModel(
  context: CommandContext,
  data: string | undefined,
  model: string,
): Promise<readonly Finding[]> {
  return await withEngine(context, data, async ({ port, calls }) => {
    const { key: localKey } = await calls.clients.terminal();
    return await checkRequests({ port, localKey, model });
  });
}

async function checkOneProgram(
  context: CommandContext,
  client: string,
  { data }: DoctorFlags,
): Promise<readonly Finding[]> {
  const program = ProgramId.safeParse(client);
  if (!program.success) {
    throw new UsageError(describeUnknown(client, ProgramId.options, context.command));
  }
  return await withRepositories(
    context,
    data,
    async (repositories) => await checkPrograms(context, repositories, program.data),
  );
}

async function runChecks(context: CommandContext, flags: DoctorFlags): Promise<readonly Finding[]> {
  const findings: Finding[] = [checkNode()];
  try {
    const folder = await prepareDataDir(flags.data, context.environment);
    findings.push(checkFreeSpace(folder));
    // This comes before anything opens the databases, which corrects their modes.
    const mode = checkFileModes(folder);
    if (mode !== null) findings.push(mode);
    if (needsMigration(folder))
      return [...findings, ...(await checkWithoutOpening(context, folder))];
    await withRepositories(context, flags.data, async (repositories) => {
      findings.push(...(await checkOpenFolder(context, repositories)));
      findings.push(await checkPort(context, repositories, flags));
      findings.push(...(await checkService(context, repositories, flags)));
      findings.push(...(await checkPrograms(context, repositories, null)));
    });
  } catch (error) {
    if (error instanceof UsageError || error instanceof InvalidBaseUrlError) {
      throw error;
    }
    const reason = error instanceof Error ? error.message : 'no reason given';
    findings.push(fail('data', reason, 'Fix this first; nothing else was checked.'));
  }
  return findings;
}

async function checkOpenFolder(
  { command }: CommandContext,
  repositories: CommandRepositories,
): Promise<readonly Finding[]> {
  const { host, videos } = repositories;
  const damagedVideos = async () => (await videos.damaged()).map((id) => singleLine(id));
  const checks = listFolderChecks({
    ...repositories,
    dataDir: host.dataDir,
    command,
    damagedVideos,
  });
  const findings: Finding[] = [];
  const { signal } = new AbortController();
  for (const { run } of checks) findings.push(...(await run(signal)));
  return findings;
}

/** Whether opening the database would migrate its tables, which is left to the next start. */
function needsMigration(dataDir: string): boolean {
  const kind = DATABASE_KINDS.gatehouse;
  try {
    const found = inspect(join(dataDir, 'gatehouse.db'), kind);
    return found !== null && found.done.length < Object.keys(kind.migrations).length;
  } catch (error) {
    // Opening it later explains the error better.
    if (error instanceof StoreError) return false;
    throw error;
  }
}

async function checkWithoutOpening(
  { command }: CommandContext,
  dataDir: string,
): Promise<readonly Finding[]> {
  return [
    await checkFolder(dataDir),
    ...(await checkDatabases({ dataDir, command })),
    warn(
      'version',
      'The database is from an older Gatehouse; the next start updates its tables.',
      'Start Gatehouse, then run this again: nothing else was checked.',
    ),
  ];
}

async function checkPort(
  context: CommandContext,
  repositories: CommandRepositories,
  flags: DoctorFlags,
): Promise<Finding> {
  const port =
    parsePort(flags.port, context.envSettings.port) ?? repositories.settings.current().port;
  const running = await readLockOwner(repositories.host.dataDir);
  if (running !== null && running.runs !== 'video') {
    const where = running.port === null ? 'and starts' : `at http://127.0.0.1:${running.port}`;
    return ok('port', `Gatehouse is running ${where} (pid ${running.pid}).`);
  }
  if (port === 0 || (await isPortFree(port))) {
    return ok('port', `No Gatehouse is running here. Port ${port} is free for it.`);
  }
  return warn(
    'port',
    `No Gatehouse is running here, and port ${port} is used by ${await describePortOwner(port)}.`,
    `Choose another one: ${context.command} serve --port PORT`,
  );
}

function report(
  { terminal }: CommandContext,
  flags: DoctorFlags,
  findings: readonly Finding[],
): void {
  const failed = findings.filter(({ state }) => state === 'fail').length;
  if (flags.json === true) {
    const printed = findings.map((finding) => {
      const { check, state, sentence, details } = finding;
      return { check, state, sentence, details, advice: formatAdvice(finding) };
    });
    terminal.printJson({ healthy: failed === 0, findings: printed });
  } else {
    const marks = {
      ok: terminal.green('ok  '),
      warn: terminal.yellow('warn'),
      fail: terminal.red('fail'),
      unknown: terminal.yellow('?   '),
    };
    for (const finding of findings) {
      // It is wrapped as a whole, so that the text after the mark has the same width in every line.
      terminal.printText(`${formatSentence(finding)}\n${formatAdvice(finding)}`.trimEnd(), {
        first: `${marks[finding.state]}  `,
        width: 6,
      });
    }
  }
  if (failed > 0) {
    throw new CommandError(flags.json === true ? '' : `${pluralize(failed, 'check')} failed.`);
  }
}
