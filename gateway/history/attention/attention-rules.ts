import type { ExchangeId, ExchangeRecord } from '../../../shared/exchange/exchange.ts';
import { failsByServiceKey } from '../../../shared/exchange/outcome.ts';
import { describeFailure } from '../../../shared/failure/find-failure.ts';
import type { Attention } from '../../../shared/history/history.ts';
import { printFilter } from '../../../shared/filter-language/print-filter.ts';
import { toPattern } from '../../../shared/name-pattern.ts';
import type { Repair, RepairCode } from '../../../shared/exchange/repair.ts';
import { toUnreachableId, UNREACHABLE_CAUSES } from '../../../shared/unreachable.ts';
import type { UpstreamTimes } from '../../../shared/upstream.ts';

/** Facts of one exchange of a known client that the rules use. */
export interface AttentionInput {
  readonly id: ExchangeId;
  readonly startedAt: number;
  /** Number of equal requests that it counts. */
  readonly times: number;
  readonly service: string | null;
  readonly clientName: string;
  readonly userAgent: string | null;
  readonly status: number | null;
  readonly errorCode: string | null;
  readonly endedBy: ExchangeRecord['endedBy'];
  /** What its record says when it did not reach the service. */
  readonly unreachedMessage: string | null;
  /** Why it failed; `null` when it did not. */
  readonly cause: string | null;
  /** Whether the request was sent to the service. */
  readonly sent: boolean;
  readonly repairs: readonly Repair[];
}

const MAX_REPAIRS = 8;
/** One or two exchanges may fail by chance. */
export const MIN_OCCURRENCES = 3;
const RECENT_COUNT = 10;

/** The client can do nothing about these repairs. */
const NOT_ACTIONABLE: ReadonlySet<RepairCode> = new Set([
  'model-alias',
  'cache-reason-asked',
  'models-wrapper',
  'model-from-list',
  'tokens-estimated',
  'stream-decoded',
  'redirect-followed',
  'video-form-to-json',
  'video-id-added',
  'key-redacted',
  'held',
]);

/** Statuses of the service, besides those from 500 on, with which several clients can fail for one cause. */
const SHARED_STATUSES: ReadonlySet<number | null> = new Set([402, 429]);
/** Failures of the service or of the way to it, whichever client meets them. */
const SERVICE_CAUSES: ReadonlySet<string | null> = new Set([
  'redirected',
  'unexpected_content_type',
  'upstream_connection_lost',
]);

/** Refusals that a person has chosen, or of which an alarm of their own says more. */
const CHOSEN_CAUSES: ReadonlySet<string | null> = new Set([
  'paused',
  'local_agent_stopped',
  'local_request_refused',
  'local_limit_reached',
  'local_rate_reached',
]);

/** The service in use, as far as it decides about problems. */
export interface AttentionContext extends UpstreamTimes {
  /** Stable id of the service. */
  readonly service: string;
  readonly serviceName: string;
  /** Whether the latest exchange or test is known to have reached it. */
  readonly reachable: boolean;
}

/** Applies the rules of `findAttention` to exchanges of known clients with the service in use, newest first. */
export function analyzeAttention(
  all: readonly AttentionInput[],
  { reachable, serviceName, keyMendedAt }: Omit<AttentionContext, 'service' | 'usedSince'>,
): Attention[] {
  const exchanges = withoutMended(all, keyMendedAt);
  const byClient = [...Map.groupBy(exchanges, ({ clientName }) => clientName).values()];
  const repairs = byClient.flatMap(findRepeatedRepairs);
  return [
    ...(reachable ? [] : findUnreachable(exchanges, serviceName)),
    ...toClientAlarms(byClient.flatMap(findFailingClient)),
    ...repairs.toSorted((a, b) => b.times - a.times).slice(0, MAX_REPAIRS),
  ];
}

/** Leaves out refusals of the service key from before it was mended, or before the service accepted it from any client. */
function withoutMended(
  exchanges: readonly AttentionInput[],
  keyMendedAt: number,
): readonly AttentionInput[] {
  const accepted = exchanges.find(({ sent, status }) => sent && status !== null && status < 400);
  const mendedAt = Math.max(keyMendedAt, accepted?.startedAt ?? 0);
  return exchanges.filter((one) => one.startedAt > mendedAt || !failsByServiceKey(one));
}

function isUnreachable({ cause }: AttentionInput): boolean {
  return cause !== null && UNREACHABLE_CAUSES.includes(cause);
}

function findUnreachable(exchanges: readonly AttentionInput[], serviceName: string): Attention[] {
  const reached = exchanges.findIndex((exchange) => exchange.sent && !isUnreachable(exchange));
  const failures = exchanges.slice(0, reached === -1 ? undefined : reached).filter(isUnreachable);
  const [latest] = failures;
  if (latest === undefined) return [];
  return [
    {
      kind: 'unreachable',
      id: toUnreachableId(latest.service),
      serviceName,
      sentence: failures.find(({ sent }) => sent)?.unreachedMessage ?? null,
      failures: failures.filter(({ sent }) => sent).length,
      refused: failures.filter(({ sent }) => !sent).length,
      at: latest.startedAt,
      filter: printFilter({
        services: latest.service === null ? [] : [toPattern(latest.service)],
        known: true,
        errors: [...UNREACHABLE_CAUSES],
        since: failures.at(-1)?.startedAt ?? latest.startedAt,
      }),
    },
  ];
}

/** The latest exchanges of a client, at least three of which failed, including the very latest. Both lists are newest first. */
interface FailingClient {
  readonly latest: AttentionInput;
  readonly recent: readonly AttentionInput[];
  readonly failures: readonly AttentionInput[];
  /** Exchanges since the oldest of them that a limit or a person refused. */
  readonly chosen: readonly AttentionInput[];
}

/**
 * `all`: the exchanges of one client, newest first. Those that did not reach the service are left out: an item of its own says so
 * while it lasts. So are refusals by choice.
 */
function findFailingClient(all: readonly AttentionInput[]): FailingClient[] {
  const isChosen = ({ cause }: AttentionInput): boolean => CHOSEN_CAUSES.has(cause);
  const recent = all
    .filter((exchange) => !isUnreachable(exchange) && !isChosen(exchange))
    .slice(0, RECENT_COUNT);
  const failures = recent.filter(({ cause }) => cause !== null);
  const [latest] = recent;
  const oldest = recent.at(-1);
  if (latest === undefined || oldest === undefined || latest.cause === null) return [];
  if (countRequests(failures) < MIN_OCCURRENCES) return [];
  return [{ latest, recent, failures, chosen: all.slice(0, all.indexOf(oldest)).filter(isChosen) }];
}

/** Makes one alarm of each client, but only one of all that fail for the same cause of the service. */
function toClientAlarms(failing: readonly FailingClient[]): Attention[] {
  const groups = Map.groupBy(failing, ({ latest }) => {
    const { clientName, cause } = latest;
    return JSON.stringify(isShared(latest) ? ['clients', cause] : ['client', clientName, cause]);
  });
  return [...groups].flatMap(([id, group]) => toClientAlarm(id, group));
}

/** Whether the failures of several clients with this cause have one reason. Gatehouse refuses each client for its own. */
function isShared({ status, cause, endedBy }: AttentionInput): boolean {
  if (SERVICE_CAUSES.has(cause)) return true;
  return endedBy !== 'gateway' && ((status ?? 0) >= 500 || SHARED_STATUSES.has(status));
}

/** `group`: at least one client, that with the latest failure first. */
function toClientAlarm(id: string, group: readonly FailingClient[]): Attention[] {
  const [first, ...others] = group;
  if (first === undefined) return [];
  const { clientName, userAgent, status, errorCode, service, startedAt } = first.latest;
  const failures = group.flatMap((one) => one.failures);
  const errors = [...new Set(failures.flatMap(({ cause }) => cause ?? []))];
  const names = [clientName, ...others.map(({ latest }) => latest.clientName)];
  return [
    {
      kind: 'client',
      id,
      clientName,
      others: names.slice(1),
      userAgent,
      failures: countRequests(failures),
      of: countRequests(group.flatMap(({ recent }) => recent)),
      uncounted: countRequests(group.flatMap(({ chosen }) => chosen)),
      // What only one client meets may be provoked by its requests.
      shared: others.length > 0 || SERVICE_CAUSES.has(first.latest.cause),
      status,
      errorCode,
      reason: describeFailure(first.latest),
      at: startedAt,
      filter: printFilter({
        services: service === null ? [] : [toPattern(service)],
        clients: names.map(toPattern),
        errors: errors.map(toPattern),
        since: Math.min(...failures.map((one) => one.startedAt)),
      }),
    },
  ];
}

function countRequests(exchanges: readonly AttentionInput[]): number {
  return exchanges.reduce((sum, { times }) => sum + times, 0);
}

/** `own`: the exchanges of one client, newest first. */
function findRepeatedRepairs(
  own: readonly AttentionInput[],
): Extract<Attention, { kind: 'repair' }>[] {
  const made = own.flatMap((exchange, index) =>
    toDistinctRepairs(exchange.repairs).map((repair) => ({ exchange, repair, index })),
  );
  const groups = [...Map.groupBy(made, ({ repair }) => repair.code).values()];
  return groups.flatMap((group) => {
    const [latest] = group;
    if (latest === undefined || group.length < MIN_OCCURRENCES || latest.index >= RECENT_COUNT)
      return [];
    const { exchange, repair } = latest;
    const { clientName, startedAt: at, service } = exchange;
    const { code, advice } = repair;
    const id = JSON.stringify(['repair', clientName, code]);
    const filter = printFilter({
      services: service === null ? [] : [toPattern(service)],
      clients: [toPattern(clientName)],
      repairs: [toPattern(code)],
      since: group.at(-1)?.exchange.startedAt ?? at,
    });
    return [{ kind: 'repair', id, clientName, code, advice, times: group.length, at, filter }];
  });
}

/** Returns one repair of each code that a client can avoid. */
function toDistinctRepairs(repairs: readonly Repair[]): readonly Repair[] {
  const byCode = new Map(repairs.map((repair) => [repair.code, repair]));
  return [...byCode.values()].filter(({ code }) => !NOT_ACTIONABLE.has(code));
}
