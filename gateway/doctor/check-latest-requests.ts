import type { ProgramState } from '../../shared/connect/connection.ts';
import type { ProgramDiagnosis } from '../../shared/connect/diagnosis.ts';
import type { Finding } from '../../shared/doctor/finding.ts';
import type { ExchangeRecord } from '../../shared/exchange/exchange.ts';
import { isCorrection } from '../../shared/exchange/outcome.ts';
import type { Repair } from '../../shared/exchange/repair.ts';
import { repairTitle } from '../../shared/exchange/repair-title.ts';
import { describeFailure } from '../../shared/failure/find-failure.ts';
import { formatDuration, pluralize } from '../../shared/format.ts';
import { toPattern } from '../../shared/name-pattern.ts';
import { quoteForShell } from '../../shared/shell-quote.ts';
import type { History } from '../history/history.ts';
import { ok, warn } from './finding.ts';

const DAY_MS = 24 * 3_600_000;
/** So many of the latest requests of a program are looked at. */
const RECENT_REQUESTS = 50;
/** Maximum number of kinds of failures, or of repairs, in a finding. */
const MAX_KINDS = 5;

/** What the check of the latest requests of a program needs. */
export interface LatestRequestsDeps {
  readonly history: Pick<History, 'list'>;
  /** The command with which a person starts this program; `null` where there is none. */
  readonly command: string | null;
  /** Unix time in milliseconds. */
  readonly now: () => number;
}

/** Says when a program sent its last request, how its latest requests failed, and what was repaired in them. */
export async function checkLatestRequests(
  { id, name }: ProgramState,
  client: NonNullable<ProgramDiagnosis['key']['client']>,
  { history, command, now }: LatestRequestsDeps,
): Promise<readonly Finding[]> {
  const filter = { clients: [toPattern(client.name)] };
  const named = await history.list({ filter, limit: RECENT_REQUESTS });
  // A client that was revoked may have had the same name.
  const exchanges = named.filter(({ clientId }) => clientId === client.id);
  const [latest] = exchanges;
  if (latest === undefined) {
    const advice = 'Start it again: it reads its settings then.';
    return [warn(id, `${name} has sent no request yet.`, advice)];
  }
  const at = now();
  const recent = exchanges.filter(({ startedAt }) => startedAt > at - 7 * DAY_MS);
  const failures = countFailures(recent);
  const repairs = countRepairs(recent);
  const failed = sum(failures);
  const repaired = recent.filter((exchange) => listCorrections(exchange).length > 0).length;
  const age = formatDuration(at - latest.startedAt);
  const sentence = `${name}: its last request was ${age} ago. Of ${pluralize(recent.length, 'recent request')}, ${failed} failed and ${repaired} ${repaired === 1 ? 'was' : 'were'} repaired.`;
  const look = (flag: string, kind: 'failures' | 'repairs'): Partial<Finding> => ({
    advice: 'Look at them',
    command:
      command === null ? null : `${command} history --client ${quoteForShell(client.name)} ${flag}`,
    action: { kind, client: client.name },
  });
  const requests: Finding = {
    ...ok(id, sentence),
    ...(failed > 0 && look('--status failed', 'failures')),
    ...(failed > recent.length / 2 && { state: 'warn' }),
    details: listKinds(failures),
  };
  const mistakes: Finding = {
    ...ok(id, `${name}: this was repaired in ${pluralize(repaired, 'recent request')}.`),
    ...look('--repaired', 'repairs'),
    details: listKinds(repairs),
  };
  const { userAgent } = latest;
  return [
    ...(userAgent === null ? [] : [ok(id, `${name}: it gives its version as ${userAgent}.`)]),
    ...(repaired > 0 ? [mistakes] : []),
    requests,
  ];
}

/** Counts exchanges by a text that describes them. */
type Counts = ReadonlyMap<string, number>;

function sum(counts: Counts): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}

/** Lists the most frequent ones first. */
function listKinds(counts: Counts): string[] {
  const sorted = [...counts].toSorted(([, one], [, other]) => other - one);
  const listed = sorted.slice(0, MAX_KINDS).map(([text, count]) => `${count} × ${text}`);
  const more = sorted.length - listed.length;
  return more === 0 ? listed : [...listed, `and ${pluralize(more, 'other kind')}`];
}

function countAll(texts: readonly string[]): Counts {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

function countFailures(exchanges: readonly ExchangeRecord[]): Counts {
  return countAll(
    exchanges.flatMap((exchange) => {
      const words = describeFailure(exchange);
      if (words === null) return [];
      return [exchange.status === null ? words : `${exchange.status} ${words}`];
    }),
  );
}

function countRepairs(exchanges: readonly ExchangeRecord[]): Counts {
  const advice = new Map<string, string>();
  const codes = exchanges.flatMap((exchange) =>
    listCorrections(exchange).map((repair) => {
      const title = repairTitle(repair.code);
      // The latest exchange comes first.
      if (!advice.has(title)) advice.set(title, repair.advice);
      return title;
    }),
  );
  return new Map(
    [...countAll(codes)].map(([title, count]) => [`${title}. ${advice.get(title) ?? ''}`, count]),
  );
}

function listCorrections({ repairs }: ExchangeRecord): readonly Repair[] {
  return repairs.filter(({ code }) => isCorrection(code));
}
