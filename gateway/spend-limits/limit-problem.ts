import type { RunId } from '../../shared/exchange/exchange.ts';
import { formatCount } from '../../shared/format.ts';
import {
  describeLimitPeriod,
  describeReset,
  formatLimitAmount,
} from '../../shared/money/describe-limit.ts';
import type { Limit } from '../../shared/money/limit.ts';
import { Problem } from '../../shared/problem.ts';

/** A limit that a request would exceed. */
export interface ExceededLimit {
  readonly limit: Limit;
  /** `null`: the limit of all clients. */
  readonly clientName: string | null;
  /** `null` when its client names no session. */
  readonly run: RunId | null;
  readonly used: number;
  readonly needed: number;
  /** Unix time in milliseconds; `null` when it is unknown. */
  readonly resetsAt: number | null;
  readonly now: number;
  readonly currency: string;
  /** The command of the command line for messages. */
  readonly command: string;
}

/** Longest `Retry-After`; a client that waits longer seems to hang. */
const MAX_RETRY_S = 60;
/** A sub-agent works for longer than a request. */
const AGENT_RETRY_S = 5;

/** Creates the problem for a request that a limit refuses. It names the limit, what is used, and when it is free again. */
export function limitProblem(exceeded: ExceededLimit): Problem {
  const { limit, clientName, run, used, needed, resetsAt, now, currency } = exceeded;
  const whose = clientName === null ? 'all clients' : clientName;
  if (limit.measure === 'agents') {
    const text = `The limit of ${whose} is ${formatLimitAmount(limit.amount, 'agents', currency)} in each run: ${formatCount(used)} are at work. Nothing was sent; another one may begin when one of them has ended. ${adviceOf(exceeded)}`;
    return new Problem('local_rate_reached', text, { retryAfterS: AGENT_RETRY_S });
  }
  if (limit.measure === 'concurrent') {
    const where = limit.period === 'run' ? ' in each run' : '';
    const text = `The limit of ${whose} is ${formatCount(limit.amount)} requests at once${where}: ${formatCount(used)} are running. Nothing was sent; send it again when one has ended. ${adviceOf(exceeded)}`;
    return new Problem('local_rate_reached', text, { retryAfterS: 1 });
  }
  const describe = (value: number) => formatLimitAmount(value, limit.measure, currency);
  const about =
    limit.measure === 'requests' ? '' : ` and this one may need up to about ${describe(needed)}`;
  const by = limit.period !== 'run' ? '' : run === null ? ' by this run' : ` by this run (${run})`;
  const text = `The limit of ${whose} is ${describe(limit.amount)} ${describeLimitPeriod(limit)}: ${describe(used)} used${by}${about}.${helpOf(exceeded)} Nothing was sent. ${adviceOf(exceeded)}`;
  if (limit.period !== 'minute') return new Problem('local_limit_reached', text);
  const seconds = resetsAt === null ? MAX_RETRY_S : Math.ceil((resetsAt - now) / 1_000);
  return new Problem('local_rate_reached', text, {
    retryAfterS: Math.min(MAX_RETRY_S, Math.max(1, seconds)),
  });
}

/** Creates the problem for a request that a limit of money refuses, because its cost is not known. */
export function unpricedProblem(
  { limit, clientName, currency, command }: ExceededLimit,
  model: string | null,
): Problem {
  const amount = formatLimitAmount(limit.amount, limit.measure, currency);
  const whose = model === null ? 'a request without a model' : `this request to “${model}”`;
  const text = `The limit of ${clientName ?? 'all clients'} is ${amount} ${describeLimitPeriod(limit)}, and what ${whose} costs is not known: there is no price, or a video has no length. Nothing was sent. Set a price in Gatehouse under Prices, 0 for what is free, or with the command “${command} prices set”; or let such requests pass in Settings. ${adviceOf({ limit, command })}`;
  return new Problem('local_limit_reached', text);
}

/** Creates the problem for a stream that was ended because it exceeded a limit. `needed`: what it has used. */
export function cutProblem(exceeded: ExceededLimit): Problem {
  const { limit, clientName, used, needed, currency } = exceeded;
  const describe = (value: number) => formatLimitAmount(value, limit.measure, currency);
  const text = `The limit of ${clientName ?? 'all clients'} is ${describe(limit.amount)} ${describeLimitPeriod(limit)}: others used ${describe(used)}, and this response about ${describe(needed)} so far, so it was ended.${helpOf(exceeded)} ${adviceOf(exceeded)}`;
  return new Problem('local_limit_reached', text);
}

/** Says in a sentence after a space what lets requests pass without a change of the limit. */
function helpOf({ limit, run, needed, resetsAt, now }: ExceededLimit): string {
  if (needed > limit.amount) return ' That is more than the whole limit, so waiting does not help.';
  if (limit.period !== 'run') return describeReset({ ...limit, resetsAt }, now);
  return run === null
    ? ' The program names no session, so its next run begins half an hour after the last request that passed.'
    : ' A new session of the agent is another run.';
}

/** Says where a person changes a limit. An agent may read it, so no command is spelled out that lets its request pass. The window finds the limit by its id, see `findLimitId`. */
function adviceOf({ limit: { id }, command }: Pick<ExceededLimit, 'limit' | 'command'>): string {
  return `Change the limit in Gatehouse under Clients, or with the command “${command} limits” (${id}).`;
}
