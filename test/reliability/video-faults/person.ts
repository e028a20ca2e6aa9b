import type { VideoOrder } from '../../../sandbox/server.ts';
import type { VideoAction, VideoJob } from '../../../shared/video/video.ts';
import type { Random } from '../../kit/random.ts';

/** Facts that a user knows when a decision is needed. */
export interface DecisionInput {
  readonly job: VideoJob;
  /** The orders with its prompt that the service shows in its console, oldest first. */
  readonly orders: readonly VideoOrder[];
  readonly random: Random;
}

/** A job that waits for nothing. */
export function isAtRest({ state }: VideoJob): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled';
}

/** Returns the decision of a user who looks into the service's console; `null` when there is nothing to decide. */
export function decide(input: DecisionInput): VideoAction | null {
  const { job, random } = input;
  const { state, word } = job;
  if (state === 'draft') return { type: 'confirm' };
  if (state === 'unsure') return decideUnsure(input);
  if (state === 'needs-answer') return answer(input);
  if (state === 'timed-out') return { type: 'extend', minutes: 1 + random.below(5) };
  const isBad = state === 'rendering' && (word === 'failed' || word === 'spoiled');
  return isBad ? { type: 'explain-word', meaning: 'failed' } : null;
}

/** Mostly trusts the console, and sometimes pays again. Only the client repeats a client's order. */
function decideUnsure({ job, orders, random }: DecisionInput): VideoAction {
  const latest = orders.at(-1);
  if (latest !== undefined && (job.origin === 'client' || orders.length > 1 || random.is(0.85))) {
    return { type: 'give-id', taskId: latest.id };
  }
  return { type: job.origin === 'client' ? 'cancel' : 'submit-again' };
}

function answer({ job, orders, random }: DecisionInput): VideoAction | null {
  const { about, candidates = [] } = job.question ?? {};
  if (about === 'file-url') {
    const address = candidates.find(({ value }) => /\/files\/[^?]+$/u.test(value));
    return address === undefined ? null : { type: 'answer', pointer: address.pointer };
  }
  const latest = orders.at(-1);
  if (latest === undefined) return { type: 'cancel' };
  const place = candidates.find(({ value }) => value === latest.id);
  return place !== undefined && random.is(0.5)
    ? { type: 'answer', pointer: place.pointer }
    : { type: 'give-id', taskId: latest.id };
}
