import { VIDEOS_CLIENT_ID } from '../../shared/client.ts';
import { isAtOnce, type Limit, type LimitKind, NewLimit } from '../../shared/money/limit.ts';
import { UserError } from '../errors.ts';
import type { RunRequest } from './run-counts.ts';
import type { Use } from './timeline.ts';

/** A request that is about to be sent. */
export interface SpendRequest extends RunRequest {
  readonly clientName: string;
  readonly model: string | null;
  /** Stable id of its service. */
  readonly service: string;
  /** Unix time in milliseconds at which it came: it counts in the periods of that time. */
  readonly at: number;
  /** Returns what it is expected to use; `money` is `null` without a price. It is called only when there are limits. */
  readonly expected: () => { readonly money: number | null; readonly tokens: number };
}

/** Parses a limit as a person sets it. @throws UserError, also for a kind of limit that there is not */
export function parseLimit(given: NewLimit): NewLimit {
  const read = NewLimit.safeParse(given);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new UserError(issue?.message ?? 'This is not a limit.', String(issue?.path[0] ?? ''));
  }
  const { clientId, measure, period, rolling } = read.data;
  if (period === 'run' && clientId === VIDEOS_CLIENT_ID)
    throw new UserError('The video queue has no runs: it sends what people order.', 'period');
  if (measure === 'agents' && period !== 'run')
    throw new UserError('Sub-agents at once are limited in each run.', 'period');
  if (period === 'run' && rolling)
    throw new UserError('A limit for each run counts all of the run.', 'rolling');
  return read.data;
}

/** Whether a limit is the one of this kind, which only its amount can change. */
export function isOfKind(limit: Limit, kind: LimitKind): boolean {
  return (
    limit.clientId === kind.clientId &&
    limit.measure === kind.measure &&
    limit.period === kind.period &&
    limit.rolling === kind.rolling
  );
}

/** Whether a limit counts a request. The video queue sends what a person ordered, so it is no run of an agent. */
export function concerns({ clientId, measure, period }: Limit, request: SpendRequest): boolean {
  if (clientId !== null && clientId !== request.clientId) return false;
  if (measure === 'agents' && request.subagent === null) return false;
  return period !== 'run' || request.clientId !== VIDEOS_CLIENT_ID;
}

/** Whether a limit measures what a response uses while it comes. */
export function growsWithResponse(
  limit: Limit,
): limit is Limit & { readonly measure: 'money' | 'tokens' } {
  return limit.measure === 'money' || limit.measure === 'tokens';
}

/** Whether a limit refuses nothing at a Unix time in milliseconds. It refuses again when the clock is set back. */
export function isSuspended({ suspended }: Limit, at: number): boolean {
  return suspended !== null && at >= suspended.from && at < suspended.until;
}

/** Returns what a request is expected to need of a limit. */
export function neededOf({ measure }: Limit, estimate: Use): number {
  return isAtOnce(measure) ? 1 : estimate[measure];
}
