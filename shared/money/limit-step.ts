import { isAtOnce, type LimitState } from './limit.ts';

/** Shares of a limit that people are told of, in percent, the highest first. */
const STEPS = [100, 95, 80] as const;

/** A share of a limit that is used. */
export interface LimitStep {
  readonly limit: LimitState;
  readonly percent: (typeof STEPS)[number];
  /** Its period: a later one is told of anew. */
  readonly period: string;
}

/** Returns the highest share of a limit that is used, 100 percent when it refuses requests; `null` below 80 percent, and for what comes and goes within a minute. */
export function findLimitStep(limit: LimitState): LimitStep | null {
  if (isAtOnce(limit.measure) || limit.period === 'minute') return null;
  // A request that needs more than the rest is refused before all is used.
  const share = limit.refusedAt === null ? (limit.used * 100) / limit.amount : 100;
  const percent = STEPS.find((step) => share >= step);
  if (percent === undefined) return null;
  return { limit, percent, period: toPeriod(limit) };
}

/** Rolling limits are told of anew after less than this share was used, in percent. */
const FORGET_PERCENT = 70;

/** Shares that are remembered; those of runs do not end. */
const MAX_REPORTED = 1_000;

/** Remembers which shares were reported, because use also falls: an estimate is replaced, or a rolling period goes on. */
export class LimitSteps {
  readonly #reported = new Map<string, LimitStep>();

  /** Takes the limits as they are now. Returns the shares that are new: each once in a period. */
  update(limits: readonly LimitState[]): readonly LimitStep[] {
    for (const [key, { limit, period }] of this.#reported) {
      const now = limits.find(({ id, amount }) => id === limit.id && amount === limit.amount);
      const isOver =
        now === undefined || (now.rolling ? isLittleUsed(now) : isOtherPeriod(now, period));
      if (isOver || limit.measure !== now.measure) this.#reported.delete(key);
    }
    for (const [key] of this.#reported) {
      if (this.#reported.size <= MAX_REPORTED) break;
      this.#reported.delete(key);
    }
    const steps = limits.flatMap((limit) => findLimitStep(limit) ?? []);
    const news = steps.filter(
      ({ limit, percent }) => percent > (this.#reported.get(toKey(limit))?.percent ?? 0),
    );
    for (const step of news) this.#reported.set(toKey(step.limit), step);
    return news;
  }
}

/** A limit whose amount was changed is another one, and so is each run. A refusal without a price says nothing about what is used. */
function toKey({ id, amount, period, run, refusedAt, refusedNeed }: LimitState): string {
  const isUnpriced = refusedAt !== null && refusedNeed === null;
  return `${id} ${amount} ${period === 'run' ? run : ''} ${isUnpriced ? 'unpriced' : ''}`;
}

/** Whether the period of a limit is another one than before. The runs of one are told of side by side. */
function isOtherPeriod(limit: LimitState, before: string): boolean {
  return limit.period !== 'run' && before !== toPeriod(limit);
}

function toPeriod({ rolling, period, resetsAt, run }: LimitState): string {
  if (period === 'run') return run ?? '';
  return rolling ? period : String(resetsAt);
}

function isLittleUsed({ used, amount, refusedAt }: LimitState): boolean {
  return refusedAt === null && used * 100 < FORGET_PERCENT * amount;
}
