import type { Command } from 'commander';
import { Status } from '../shared/status.ts';
import { openDataDir } from '../hosting/data-folder.ts';
import { readHolder } from '../hosting/lock.ts';
import type { Holder } from '../hosting/lock.ts';
import { count, counted, duration } from './figures.ts';
import { CommandFailed } from './problem.ts';
import type { Shell } from './shell.ts';

interface StatusFlags {
  readonly json?: boolean;
  readonly data?: string;
}

/** An engine that is busy to the brim still answers within this. */
const PATIENCE_MS = 10_000;

/** `gatehouse status`: what the Gatehouse that runs on this data folder is doing, and how its service is. */
export function addStatus(program: Command, shell: Shell): void {
  program
    .command('status')
    .description('how the running Gatehouse and its service are; exit code 1 when none runs')
    .option('--json', 'print JSON')
    .option('--data <dir>', 'data folder')
    .action(async (flags: StatusFlags) => await tell(shell, flags));
}

async function tell(shell: Shell, { json = false, data }: StatusFlags): Promise<void> {
  const dataDir = await openDataDir(data, shell.environment);
  const holder = await readHolder(dataDir);
  const status = holder === null ? null : await askStatus(holder);
  if (json)
    shell.terminal.printJson({ running: status !== null, pid: holder?.pid ?? null, status });
  if (status !== null && !json) print(shell, status);
  if (status !== null) return;
  if (json) throw new CommandFailed('');
  throw new CommandFailed(
    holder === null
      ? `No Gatehouse is running on the data folder ${dataDir}. Start it: ${shell.command} serve`
      : `Gatehouse is running (pid ${holder.pid}) and does not say how it is: it may be starting or ending. Try again in a moment.`,
  );
}

/** `null` when it does not answer as a Gatehouse of this version does. */
async function askStatus({ port, reportKey }: Holder): Promise<Status | null> {
  if (port === null || reportKey === null) return null;
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/status`, {
      headers: { authorization: `Bearer ${reportKey}` },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return Status.safeParse(await answer.json()).data ?? null;
  } catch {
    // It may end at this very moment.
    return null;
  }
}

function print({ terminal }: Shell, status: Status): void {
  const { version, baseUrls, upstream, key, reach, paused, running, load } = status;
  const service = upstream.kind === 'sandbox' ? 'the built-in sandbox' : upstream.baseUrl;
  const { calls, throttled, retries, refused } = load;
  const lines = [
    ['Gatehouse', `${version}, ${paused ? 'paused' : 'running'} at ${baseUrls.messages}`],
    ['Service', `${service}: ${reach.sentence}`],
    ['Key', key.sentence],
    ['Requests', `${counted(running, 'request')} on the way`],
    [
      'Calls',
      `${count(load.inFlight)} in flight, ${count(load.waiting)} waiting, ${limitOf(status)}`,
    ],
    ['Circuit', circuitOf(status)],
    [
      'So far',
      `${counted(calls, 'call')} to the service, ${count(retries)} of them ${retries === 1 ? 'a repetition' : 'repetitions'}; ${count(throttled)} answered with 429; ${count(refused)} more turned away before they left`,
    ],
  ] as const;
  for (const [name, text] of lines) {
    terminal.say(text, { first: terminal.strong(name.padEnd(11)), width: 11 });
  }
}

function limitOf({ load: { limit, heldMs } }: Status): string {
  const most =
    limit === null ? 'no limit' : `at most ${count(limit)} at once since it answered 429`;
  return heldMs === 0 ? most : `${most}, none for another ${duration(heldMs)}`;
}

function circuitOf({ load: { circuit, retryMs } }: Status): string {
  if (circuit === 'closed') return 'closed: connections come about';
  return circuit === 'open'
    ? `open: no connection came about several times in a row; one request tries again in ${duration(retryMs)}`
    : 'half-open: one request tries whether a connection comes about again';
}
