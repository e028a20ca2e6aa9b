import type { Command } from 'commander';
import { Status } from '../../shared/status.ts';
import { isUsableKey } from '../../gateway/keys/keys.ts';
import { prepareDataDir } from '../../host/data-folder.ts';
import { readLockOwner, type LockOwner } from '../../host/lock/instance-lock.ts';
import { formatCount, pluralize, formatDuration } from '../../shared/format.ts';
import { CommandError } from '../errors.ts';
import type { CommandContext } from '../command-context.ts';

interface StatusFlags {
  readonly json?: boolean;
  readonly ready?: boolean;
  readonly data?: string;
}

/** Timeout that also a very busy engine meets. */
const TIMEOUT_MS = 10_000;

const HELP = `
Exit code 0: a Gatehouse runs, even while it is paused or its service is
unreachable. With --ready it is 1 while Gatehouse is paused or has no usable
service key, when the service refused that key, and when it was not reached the last time, or something
else answered in its place. "hindrances" in JSON says why; it is empty when Gatehouse is ready.`;

/** Defines `gatehouse status`, which shows the state of the Gatehouse that runs on this data folder, and of its service. */
export function addStatusCommand(program: Command, context: CommandContext): void {
  program
    .command('status')
    .description('show the state of the running Gatehouse; exit code 1 when none runs')
    .option('--ready', 'exit code 1 also when requests cannot succeed')
    .option('--json', 'print JSON')
    .option('--data <dir>', 'data folder')
    .addHelpText('after', HELP)
    .action(async (flags: StatusFlags) => await showStatus(context, flags));
}

async function showStatus(
  context: CommandContext,
  { json = false, ready = false, data }: StatusFlags,
): Promise<void> {
  const dataDir = await prepareDataDir(data, context.environment);
  const owner = await readLockOwner(dataDir);
  const status = owner === null ? null : await fetchStatus(owner);
  const hindrances =
    status === null ? [describeAbsence(owner)] : listHindrances(status, context.command);
  if (json) {
    const pid = owner?.pid ?? null;
    context.terminal.printJson({ running: status !== null, pid, status, hindrances });
  }
  if (status !== null) {
    if (!json) printStatus(context, status, hindrances);
    if (ready && hindrances.length > 0) throw new CommandError('');
    return;
  }
  if (json) throw new CommandError('');
  throw new CommandError(
    owner === null
      ? `No Gatehouse is running on the data folder ${dataDir}. Start it: ${context.command} serve`
      : `${describeAbsence(owner)} Try again in a moment.`,
  );
}

/** Says why there is no status. */
function describeAbsence(owner: LockOwner | null): string {
  return owner === null
    ? 'No Gatehouse is running.'
    : `Gatehouse is running (pid ${owner.pid}) and does not report its state: it may be starting or stopping.`;
}

/** Loads the status; `null` when the response is not that of this version of Gatehouse. */
async function fetchStatus({ port, reportKey }: LockOwner): Promise<Status | null> {
  if (port === null || reportKey === null) return null;
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/status`, {
      headers: { authorization: `Bearer ${reportKey}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return Status.safeParse(await answer.json()).data ?? null;
  } catch {
    // It may end at this very moment.
    return null;
  }
}

/** Lists in sentences why requests of clients fail now; empty when nothing is known to hinder them. */
export function listHindrances(
  { paused, reach, key, keyRefusedAt }: Pick<Status, 'paused' | 'reach' | 'key' | 'keyRefusedAt'>,
  command: string,
): readonly string[] {
  return [
    ...(paused ? [`Paused: requests are refused. To continue: ${command} resume`] : []),
    ...(isUsableKey(key.name) ? [] : ['There is no usable service key: requests are refused.']),
    ...(keyRefusedAt === null
      ? []
      : [`The service refuses the service key. To set another: ${command} key set`]),
    ...(reach.state === 'unreachable' ? [`The service is unreachable: ${reach.sentence}`] : []),
    ...(reach.state === 'doubtful' ? [`This may not be the service: ${reach.sentence}`] : []),
  ];
}

/** The short words for a state whose sentence is among the hindrances. */
const REASON_ABOVE: Partial<Record<Status['reach']['state'], string>> = {
  unreachable: 'unreachable',
  doubtful: 'no usable answer',
};

function printStatus(
  { terminal }: CommandContext,
  status: Status,
  hindrances: readonly string[],
): void {
  const { version, baseUrls, upstream, key, reach, paused, running, load } = status;
  const service =
    upstream.kind === 'sandbox' ? 'the built-in sandbox' : `${upstream.name} (${upstream.baseUrl})`;
  const { calls, throttled, retries, refused } = load;
  const lines = [
    ['Gatehouse', `${version}, ${paused ? 'paused' : 'running'} at ${baseUrls.messages}`],
    ...hindrances.map((text) => ['', text] as const),
    ['Service', `${service}: ${REASON_ABOVE[reach.state] ?? reach.sentence}`],
    ['Key', key.sentence],
    ['Requests', `${pluralize(running, 'request')} in progress`],
    [
      'Calls',
      `${formatCount(load.inFlight)} in flight, ${formatCount(load.waiting)} waiting, ${formatLimit(status)}`,
    ],
    ['Attempts', describeCircuit(status)],
    [
      'Total',
      `${pluralize(calls, 'call')} to the service, ${pluralize(retries, 'retry', 'retries')}; ${formatCount(throttled)} answered with 429; ${formatCount(refused)} refused before they were sent`,
    ],
  ] as const;
  for (const [name, text] of lines) {
    terminal.printText(text, { first: terminal.bold(name.padEnd(11)), width: 11 });
  }
}

function formatLimit({ load: { limit, heldMs } }: Status): string {
  const limitHint =
    limit === null ? 'no limit' : `at most ${formatCount(limit)} at once since it answered 429`;
  return heldMs === 0 ? limitHint : `${limitHint}, none for another ${formatDuration(heldMs)}`;
}

/** Says whether requests are sent, or wait because connections to the service fail. */
export function describeCircuit({ load: { circuit, retryMs } }: Pick<Status, 'load'>): string {
  if (circuit === 'closed') return 'requests are sent as they arrive';
  const reason = 'because several connections to it failed in a row';
  if (circuit === 'half-open') {
    return `one request is asking the service again; the others are refused until it answers, ${reason}`;
  }
  return retryMs < 1
    ? `the next request asks the service again, ${reason}`
    : `Gatehouse asks the service again in ${formatDuration(retryMs)}; until then requests are refused, ${reason}`;
}
