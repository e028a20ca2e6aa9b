import { VIDEOS_CLIENT_ID } from '../../shared/client.ts';
import type { Limit, NewLimit } from '../../shared/money/limit.ts';
import { UserError } from '../errors.ts';
import type { RunRequest } from './run-counts.ts';

/** Refuses kinds of limits that there are not. @throws UserError */
export function checkKind({ measure, period, rolling }: NewLimit): void {
  if (measure === 'agents' && period !== 'run')
    throw new UserError('Sub-agents at once are limited in each run.', 'period');
  if (period === 'run' && rolling)
    throw new UserError('A limit for each run counts all of the run.', 'rolling');
}

/** Whether a limit counts a request. The video queue sends what a person ordered, so it is no run of an agent. */
export function concerns({ clientId, measure, period }: Limit, request: RunRequest): boolean {
  if (clientId !== null && clientId !== request.clientId) return false;
  if (measure === 'agents' && request.subagent === null) return false;
  return period !== 'run' || request.clientId !== VIDEOS_CLIENT_ID;
}

export const HOUR_MS = 3_600_000;

/** Whether a limit refuses nothing at a Unix time in milliseconds. It refuses again when the clock is set back. */
export function isSuspended({ suspended }: Limit, at: number): boolean {
  return suspended !== null && at >= suspended.from && at < suspended.until;
}
