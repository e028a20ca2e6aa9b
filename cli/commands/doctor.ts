import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { InvalidBaseUrlError } from '../../gateway/upstreams/upstreams.ts';
import { inspect, DATABASE_KINDS, StoreError } from '../../gateway/store/store.ts';
import { COPY_RESERVE_BYTES } from '../../gateway/backup/backup.ts';
import { freeBytes, isFull } from '../../gateway/lib/disk.ts';
import { prepareDataDir } from '../../host/data-folder.ts';
import { checkDatabases, checkFileModes } from './doctor-databases.ts';
import { readDatabaseSize, findIndexDamage } from '../../gateway/history/history.ts';
import { pluralize, formatDuration, formatBytes } from '../../shared/format.ts';
import { fail, type Finding, ok, warn } from './finding.ts';
import { testKey } from './key.ts';
import { keyAdvice, isUsableKey } from './key-status.ts';
import { describeProcess, readLockOwner, type LockOwner } from '../../host/lock/instance-lock.ts';
import type { KeyState } from '../../shared/upstream.ts';
import { parsePort } from '../parse-numbers.ts';
import { describePortOwner, isPortFree } from '../../host/process/port-owner.ts';
import { CommandError, UsageError } from '../errors.ts';
import { withRepositories, type CommandRepositories } from '../with-repositories.ts';
import { findServiceInUse } from '../service-in-use.ts';
import { describeKeyWithoutService, openServiceKey, type Service } from '../service.ts';
import type { CommandContext } from '../command-context.ts';
import { describeDamaged } from './video/list.ts';

interface DoctorFlags {
  readonly data?: string;
  readonly upstream?: string;
  readonly port?: string;
  readonly json?: boolean;
}

/** Clocks that differ by more than this break certificates and rate limits. */
const CLOCK_TOLERANCE_MS = 2 * 60_000;

/** Defines `gatehouse doctor`, which checks everything Gatehouse needs and advises on every problem. */
export function addDoctorCommand(program: Command, context: CommandContext): void {
  program
    .command('doctor')
    .description('check everything Gatehouse needs; exit code 1 when something fails')
    .option('--upstream <url>', 'base address of the service')
    .option('--port <port>', 'port of the running Gatehouse')
    .option('--json', 'print JSON')
    .option('--data <dir>', 'data folder')
    .action(async (flags: DoctorFlags) => {
      const findings = await runChecks(context, flags);
      report(context, flags, findings);
    });
}

async function runChecks(context: CommandContext, flags: DoctorFlags): Promise<readonly Finding[]> {
  const findings: Finding[] = [ok('node', `Node.js ${process.version} is new enough.`)];
  try {
    const folder = await prepareDataDir(flags.data, context.environment);
    findings.push(checkFreeSpace(folder));
    // This comes before anything opens the databases, which corrects their modes.
    const mode = checkFileModes(folder);
    if (mode !== null) findings.push(mode);
    if (await needsMigration(folder))
      return [...findings, ...(await checkWithoutOpening(context, folder))];
    await withRepositories(context, flags.data, async (repositories) => {
      findings.push(await checkFolder(repositories.host.dataDir));
      const { dataDir } = repositories.host;
      findings.push(...(await checkDatabases({ dataDir, command: context.command })));
      findings.push(
        ...checkClients(context, repositories),
        ...(await checkVideos(context, repositories)),
      );
      findings.push(...(await checkSearchIndex(repositories)));
      findings.push(await checkHistorySize(repositories), ...checkClock(repositories));
      findings.push(await checkPort(context, repositories, flags));
      findings.push(...(await checkService(context, repositories, flags)));
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

/** Whether opening the database would migrate its tables, which is left to the next start. */
async function needsMigration(dataDir: string): Promise<boolean> {
  const kind = DATABASE_KINDS.gatehouse;
  const found = await inspect(join(dataDir, 'gatehouse.db'), kind).catch((error: unknown) => {
    // Opening it later explains the error better.
    if (error instanceof StoreError) return null;
    throw error;
  });
  return found !== null && found.done.length < Object.keys(kind.migrations).length;
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

async function checkFolder(dataDir: string): Promise<Finding> {
  const files = [dataDir, ...(await readdir(dataDir)).map((name) => join(dataDir, name))];
  const modes = await Promise.all(
    // A link may be broken, and files may disappear meanwhile.
    files.map(async (file) => ({ file, mode: (await stat(file).catch(() => null))?.mode ?? 0 })),
  );
  const open = modes.find(({ mode }) => process.platform !== 'win32' && (mode & 0o077) !== 0);
  return open === undefined
    ? ok('folder', `The data folder is ${dataDir}; only you can access it.`)
    : warn('folder', `Other users can access ${open.file}.`, `Run: chmod go= '${open.file}'`);
}

/** Below this no copies of the databases are made, and the disk is almost full. */
function checkFreeSpace(dataDir: string): Finding {
  const free = freeBytes(dataDir);
  if (free >= COPY_RESERVE_BYTES) {
    return ok('disk', `The disk of the data folder has ${formatBytes(free)} free.`);
  }
  const state = isFull(dataDir)
    ? `The disk of the data folder ${dataDir} is full: ${free} bytes are free. Nothing can be saved, and no videos are ordered.`
    : `The disk of the data folder ${dataDir} has only ${formatBytes(free)} free. Gatehouse makes no copies of its databases with less than ${formatBytes(COPY_RESERVE_BYTES)}.`;
  return fail('disk', state, 'Free some space there; Gatehouse continues automatically.');
}

function checkClients(
  { command }: CommandContext,
  { clients }: CommandRepositories,
): readonly Finding[] {
  return clients
    .listDamaged()
    .map(({ name }) =>
      fail(
        'client',
        `The local key of the client "${name}" is damaged in gatehouse.db and cannot be used.`,
        `Revoke it and create a new one: ${command} clients revoke '${name}', then ${command} clients add '${name}'`,
      ),
    );
}

async function checkVideos(
  { command }: CommandContext,
  { videos }: CommandRepositories,
): Promise<readonly Finding[]> {
  const damaged = await videos.damaged();
  return damaged.length === 0 ? [] : [fail('videos', describeDamaged(damaged, command), '')];
}

/** Some damage shows only when something is written, which is rolled back. */
async function checkSearchIndex({ store }: CommandRepositories): Promise<readonly Finding[]> {
  const damage = await findIndexDamage(store, 'writing');
  if (damage === null) return [];
  return [
    warn(
      'search-index',
      'The search index of the history is damaged. No exchange is lost.',
      `Stop Gatehouse and start it again: it rebuilds the index from the exchanges, no exchange is lost.\nSQLite says: ${damage}`,
    ),
  ];
}

async function checkHistorySize({ store, settings }: CommandRepositories): Promise<Finding> {
  const { file } = await readDatabaseSize(store.db);
  const maxBytes = settings.current().mostMiB * 2 ** 20;
  const sentence = `The database takes ${formatBytes(file)} of at most ${formatBytes(maxBytes)}.`;
  return file <= maxBytes
    ? ok('size', sentence)
    : warn(
        'size',
        sentence,
        'A running Gatehouse deletes the oldest exchanges; the rest is not history. The limit can be changed in Settings.',
      );
}

function checkClock({ clock }: CommandRepositories): readonly Finding[] {
  const ahead = clock.ahead();
  if (ahead === 0) return [];
  return [
    warn(
      'clock-confirmed',
      `The clock of this machine is ${formatDuration(ahead)} ahead of the last known time, so nothing is deleted by age.`,
      "Set this machine's clock, or send a request to your service: its answer confirms the time.",
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
    return ok('port', `Port ${port} is free.`);
  }
  return warn(
    'port',
    `Port ${port} is used by ${await describePortOwner(port)}.`,
    `Choose another one: ${context.command} serve --port PORT`,
  );
}

async function checkService(
  context: CommandContext,
  repositories: CommandRepositories,
  flags: DoctorFlags,
): Promise<readonly Finding[]> {
  const { service, running } = await findServiceInUse(context, repositories, flags);
  if (service === null && running !== null) {
    return [
      ok('service', `The Gatehouse that runs here (${describeProcess(running)}) uses the sandbox.`),
    ];
  }
  if (service === null) {
    const lonely = describeKeyWithoutService(context);
    return [
      ...(lonely === null ? [] : [warn('key', lonely, '')]),
      warn(
        'service',
        'No service is configured, so the sandbox is used.',
        `Name yours: ${context.command} key set --upstream https://models.example.com`,
      ),
    ];
  }
  const keys = await openServiceKey(context, { host: repositories.host, account: service.baseUrl });
  const { name, sentence } = keys.state();
  const key = keys.current();
  const theirs = key === null ? (running?.key ?? null) : null;
  if (theirs !== null && running !== null) return checkRunningGatehouse(service, running, theirs);
  if (key === null) {
    return [fail('key', sentence, keyAdvice(name, context.command))];
  }
  const place =
    name === 'file'
      ? warn('key', sentence, `Where there is a keychain, use it: ${context.command} key set`)
      : ok('key', sentence);
  return [place, ...(await checkServiceAnswer(context, service, key))];
}

/** Tests the key of the running Gatehouse, which this shell does not know. */
function checkRunningGatehouse(
  { baseUrl }: Service,
  running: LockOwner,
  { name, sentence }: KeyState,
): readonly Finding[] {
  const runningProcess = `the Gatehouse that runs here (${describeProcess(running)})`;
  if (!isUsableKey(name)) return [fail('key', `Of ${runningProcess}: ${sentence}`, '')];
  return [
    ok('key', `Of ${runningProcess}: ${sentence}`),
    warn(
      'service',
      `${baseUrl} is used, with a key that this shell does not know, so it was not tested.`,
      'Test the key in its window: Settings, Test. Or give the key to this shell in GATEHOUSE_UPSTREAM_KEY.',
    ),
  ];
}

async function checkServiceAnswer(
  context: CommandContext,
  service: Service,
  key: string,
): Promise<readonly Finding[]> {
  const { baseUrl } = service;
  const { verdict, models, date } = await testKey(context, service, key);
  if (!verdict.accepted) {
    return [fail('service', `${baseUrl}: ${verdict.sentence}`, verdict.advice)];
  }
  const list = ok('models', `The service lists ${pluralize(models ?? 0, 'model')}.`);
  const drift = date === null ? 0 : Math.abs(context.now() - date);
  const clock =
    drift > CLOCK_TOLERANCE_MS
      ? warn(
          'clock',
          `The clock of this machine and that of the service differ by ${formatDuration(drift)}.`,
          "Set this machine's clock.",
        )
      : ok('clock', 'The clock agrees with that of the service.');
  return [ok('service', `${baseUrl} accepted the key.`), list, clock];
}

function report(
  { terminal }: CommandContext,
  flags: DoctorFlags,
  findings: readonly Finding[],
): void {
  const failed = findings.filter(({ state }) => state === 'fail').length;
  if (flags.json === true) {
    terminal.printJson({ healthy: failed === 0, findings });
  } else {
    const marks = {
      ok: terminal.green('ok  '),
      warn: terminal.yellow('warn'),
      fail: terminal.red('fail'),
    };
    for (const { state, sentence, advice } of findings) {
      // It is wrapped as a whole, so that the text after the mark has the same width in every line.
      terminal.printText(`${sentence}\n${advice}`.trimEnd(), {
        first: `${marks[state]}  `,
        width: 6,
      });
    }
  }
  if (failed > 0) {
    throw new CommandError(flags.json === true ? '' : `${pluralize(failed, 'check')} failed.`);
  }
}
