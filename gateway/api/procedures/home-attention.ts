import { hash } from 'node:crypto';
import type { Attention } from '../../../shared/history/history.ts';
import { printFilter } from '../../../shared/filter-language/print-filter.ts';
import { toPattern } from '../../../shared/name-pattern.ts';
import { toServiceId } from '../../../shared/upstream.ts';
import { toUnreachableId, UNREACHABLE_CAUSES } from '../../../shared/unreachable.ts';
import { failsByServiceKey } from '../../../shared/exchange/outcome.ts';
import type { LimitState } from '../../../shared/money/limit.ts';
import type { UnpricedPass } from '../../../shared/money/limit.ts';
import { findLimitStep } from '../../../shared/money/limit-step.ts';
import type { Runaway } from '../../../shared/run/runaway.ts';
import type { Status } from '../../../shared/status.ts';

/** The part of the status that decides about alarms. */
export type AttentionStatus = Pick<
  Status,
  'startedAt' | 'upstream' | 'key' | 'keyRefusedAt' | 'reach'
>;

/**
 * Composes the alarms of Home: that of the service key first, then those found in the history, then the exchanges that were not stored
 * since the start.
 */
export function composeAttention(
  status: AttentionStatus,
  found: readonly Attention[],
  dropped: number,
): readonly Attention[] {
  const key = findKeyAttention(status);
  // The number begins again at each start, so the id has the time of the start.
  const id = `dropped ${status.startedAt} ${dropped}`;
  const lost: readonly Attention[] =
    dropped === 0 ? [] : [{ kind: 'dropped', id, exchanges: dropped }];
  // One cause is one item: without a working key every client fails.
  const rest = key.length === 0 ? found : found.filter((one) => !failsByKey(one));
  return [...key, ...withUnreachable(status, rest), ...lost];
}

/** Lists the limits of which 80, 95 or 100 percent are used, the fullest first. Each step of a period can be dismissed once. */
export function findLimitAttention(
  limits: readonly LimitState[],
  currency: string,
): readonly Attention[] {
  return limits
    .flatMap((limit): Extract<Attention, { kind: 'limit' }>[] => {
      const step = findLimitStep(limit);
      if (step === null) return [];
      const { percent, period } = step;
      const id = `limit ${limit.id} ${percent} ${period}`;
      return [{ kind: 'limit', id, limit, percent, currency }];
    })
    .toSorted((one, other) => other.percent - one.percent);
}

/** Makes one alarm of all requests that passed limits of money uncounted. Another client or model makes it another one. */
export function toUnpricedAttention(passes: readonly UnpricedPass[]): readonly Attention[] {
  if (passes.length === 0) return [];
  const names = passes.map(({ clientName, model }) => JSON.stringify([clientName, model]));
  const id = `unpriced ${hash('sha256', names.toSorted().join('\n'), 'hex').slice(0, 16)}`;
  const at = Math.max(...passes.map((pass) => pass.at));
  return [{ kind: 'unpriced', id, passes: [...passes], at }];
}

/** Makes the alarms of agents that run away. Only a person's decision, or the end of the cause, ends one. */
export function toRunawayAttention(runaways: readonly Runaway[]): readonly Attention[] {
  return runaways.map((runaway) => ({
    kind: 'runaway',
    id: `runaway ${runaway.clientId}`,
    ...runaway,
  }));
}

/** Adds the alarm of a service that a test did not reach, and the cause to one that the history has. */
function withUnreachable(
  { reach, upstream }: AttentionStatus,
  found: readonly Attention[],
): readonly Attention[] {
  if (reach.state !== 'unreachable' || reach.at === null) return found;
  const { sentence, at } = reach;
  if (found.some(({ kind }) => kind === 'unreachable')) {
    return found.map((one) => (one.kind === 'unreachable' ? { ...one, sentence } : one));
  }
  const service = toServiceId(upstream);
  const services = [toPattern(service)];
  const errors = [...UNREACHABLE_CAUSES];
  const filter = printFilter({ services, known: true, errors, since: at });
  const alarm: Attention = {
    kind: 'unreachable',
    id: toUnreachableId(service),
    serviceName: upstream.name,
    sentence,
    failures: 0,
    refused: 0,
    at,
    filter,
  };
  return [alarm, ...found];
}

function failsByKey(attention: Attention): boolean {
  return attention.kind === 'client' && failsByServiceKey(attention);
}

/** Returns the missing or rejected service key first, because nothing works without it. The sandbox needs none. */
function findKeyAttention({ upstream, key, keyRefusedAt }: AttentionStatus): readonly Attention[] {
  if (upstream.kind === 'sandbox') return [];
  const id = `key ${upstream.id}`;
  if (key.name === 'missing' || key.name === 'locked' || key.name === 'unavailable') {
    return [{ kind: 'key', id, sentence: key.sentence, at: null }];
  }
  if (keyRefusedAt === null) return [];
  const sentence =
    'The service refuses the service key (401). Your local keys are fine. Test it in Settings, or enter it there again.';
  return [{ kind: 'key', id, sentence, at: keyRefusedAt }];
}
