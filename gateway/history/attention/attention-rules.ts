import type { ExchangeId } from '../../../shared/exchange/exchange.ts';
import type { Attention } from '../../../shared/history/history.ts';
import { printFilter } from '../../../shared/filter-language/print-filter.ts';
import { toPattern } from '../../../shared/name-pattern.ts';
import type { Repair, RepairCode } from '../../../shared/exchange/repair.ts';
import { toUnreachableId, UNREACHABLE_CAUSES } from '../../../shared/unreachable.ts';

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
  /** Why it failed; `null` when it did not, or when nobody can act on that. */
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
  'models-wrapper',
  'model-from-list',
  'tokens-estimated',
  'stream-decoded',
  'redirect-followed',
  'video-form-to-json',
  'video-id-added',
  'key-redacted',
]);

/**
 * Applies the rules of `findAttention` to exchanges of known clients with the service in use, newest first. `reachable`: the
 * service is known to have answered since.
 */
export function analyzeAttention(
  exchanges: readonly AttentionInput[],
  { reachable }: { readonly reachable: boolean },
): Attention[] {
  const byClient = Map.groupBy(exchanges, ({ clientName }) => clientName);
  const repairs = [...byClient.values()].flatMap(findRepeatedRepairs);
  return [
    ...(reachable ? [] : findUnreachable(exchanges)),
    ...[...byClient.values()].flatMap(findFailingClient),
    ...repairs.toSorted((a, b) => b.times - a.times).slice(0, MAX_REPAIRS),
  ];
}

function isUnreachable({ cause }: AttentionInput): boolean {
  return cause !== null && UNREACHABLE_CAUSES.includes(cause);
}

function findUnreachable(exchanges: readonly AttentionInput[]): Attention[] {
  const reached = exchanges.findIndex((exchange) => exchange.sent && !isUnreachable(exchange));
  const failures = exchanges.slice(0, reached === -1 ? undefined : reached).filter(isUnreachable);
  const [latest] = failures;
  if (latest === undefined) return [];
  return [
    {
      kind: 'unreachable',
      id: toUnreachableId(latest.service),
      sentence: null,
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

/**
 * `all`: the exchanges of one client, newest first. Those that did not reach the service are left out: an item of its own says so
 * while it lasts.
 */
function findFailingClient(all: readonly AttentionInput[]): Attention[] {
  const recent = all.filter((exchange) => !isUnreachable(exchange)).slice(0, RECENT_COUNT);
  const failures = recent.filter(({ cause }) => cause !== null);
  const [latest] = recent;
  if (latest === undefined || latest.cause === null || countRequests(failures) < MIN_OCCURRENCES)
    return [];
  const { clientName, userAgent, status, errorCode, service } = latest;
  const errors = [...new Set(failures.flatMap(({ cause }) => cause ?? []))];
  return [
    {
      kind: 'client',
      id: JSON.stringify(['client', clientName, latest.cause]),
      clientName,
      userAgent,
      failures: countRequests(failures),
      of: countRequests(recent),
      status,
      errorCode,
      at: latest.startedAt,
      filter: printFilter({
        services: service === null ? [] : [toPattern(service)],
        clients: [toPattern(clientName)],
        errors: errors.map(toPattern),
        since: failures.at(-1)?.startedAt ?? latest.startedAt,
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
    const { clientName, startedAt: at, id: exchangeId } = exchange;
    const { code, advice } = repair;
    const id = JSON.stringify(['repair', clientName, code]);
    return [{ kind: 'repair', id, clientName, code, advice, times: group.length, at, exchangeId }];
  });
}

/** Returns one repair of each code that a client can avoid. */
function toDistinctRepairs(repairs: readonly Repair[]): readonly Repair[] {
  const byCode = new Map(repairs.map((repair) => [repair.code, repair]));
  return [...byCode.values()].filter(({ code }) => !NOT_ACTIONABLE.has(code));
}
