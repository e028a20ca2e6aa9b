import { formatCount, formatSince } from '../format.ts';
import { formatMoney } from './format-money.ts';
import type { LimitMeasure, LimitState, NewLimit } from './limit.ts';
import type { LimitStep } from './limit-step.ts';

/** Formats an amount of a limit: `$5.00`, `20,000 tokens`, `1 request`. */
export function formatLimitAmount(amount: number, measure: LimitMeasure, currency: string): string {
  switch (measure) {
    case 'money':
      return formatMoney(amount, currency);
    case 'tokens':
      return `${formatCount(amount)} ${amount === 1 ? 'token' : 'tokens'}`;
    case 'requests':
      return `${formatCount(amount)} ${amount === 1 ? 'request' : 'requests'}`;
    case 'concurrent':
      return `${formatCount(amount)} at once`;
    case 'agents':
      return `${formatCount(amount)} ${amount === 1 ? 'sub-agent' : 'sub-agents'} at once`;
  }
}

/** Describes over what a limit counts: `per day`, `within one day`, `per run`; nothing for requests at once. */
export function describeLimitPeriod({
  measure,
  period,
  rolling,
}: Pick<NewLimit, 'measure' | 'period' | 'rolling'>): string {
  if (period === 'run') return 'per run';
  if (measure === 'concurrent') return '';
  return rolling ? `within one ${period}` : `per ${period}`;
}

/** Says in a sentence after a space when a limit begins anew, or when part of a rolling one is free again; nothing where no time is known. */
export function describeReset(
  { rolling, resetsAt }: Pick<LimitState, 'rolling' | 'resetsAt'>,
  now: number,
): string {
  if (resetsAt === null) return '';
  const time = formatSince(resetsAt, now);
  return rolling ? ` Part of it is free again at ${time}.` : ` It resets at ${time}.`;
}

/** Says how much of a limit is used: a title, and the amounts with the reset. `now` is a Unix time in milliseconds. */
export function describeLimitStep(
  { limit, percent }: Pick<LimitStep, 'limit' | 'percent'>,
  { currency, now }: { readonly currency: string; readonly now: number },
): { readonly title: string; readonly text: string } {
  const whose = limit.clientName ?? 'all clients';
  const format = (amount: number) => formatLimitAmount(amount, limit.measure, currency);
  const reset = describeReset(limit, now);
  const by = limit.period === 'run' ? ` by ${describeRun(limit)}` : '';
  const used = `${format(limit.used)} of ${format(limit.amount)} ${describeLimitPeriod(limit)} are used${by}.`;
  const { suspended } = limit;
  if (suspended !== null && now >= suspended.from && now < suspended.until) {
    const until = formatSince(suspended.until, now);
    return {
      title: `The limit of ${whose} is off until ${until}`,
      text: `${used} All requests pass until then, and still count.`,
    };
  }
  if (percent < 100) {
    const share = Math.floor((100 * limit.used) / limit.amount);
    return { title: `${share}% of the limit of ${whose} is used`, text: `${used}${reset}` };
  }
  const isUsedUp = limit.used >= limit.amount;
  return {
    title: `The limit of ${whose} ${isUsedUp ? 'is used up' : 'refused a request'}`,
    text: `${used} ${isUsedUp ? describeUsedUp(limit) : describeRefused(limit, format)}${reset}`,
  };
}

/** Says what happens to requests once a limit is used up. */
function describeUsedUp({ allowedOnceAt, period }: LimitState): string {
  const ofRun = period === 'run' ? ' of this run' : '';
  return allowedOnceAt === null
    ? `Every further request${ofRun} is refused.`
    : `The next request${ofRun} passes all the same, and every one after it is refused.`;
}

/** Says why a limit refused a request although some of it is left. */
function describeRefused(
  { allowedOnceAt, refusedNeed }: LimitState,
  format: (amount: number) => string,
): string {
  if (refusedNeed === null) {
    const once = allowedOnceAt === null ? '' : ' The next such request passes all the same.';
    return `A request was refused because what it costs is not known: there is no price, or a video has no length.${once}`;
  }
  const once =
    allowedOnceAt === null ? '' : ' The next request that is too large passes all the same.';
  return `A request was refused because it needs more than is left${refusedNeed === 0 ? '' : ` (about ${format(refusedNeed)})`}; smaller ones pass.${once}`;
}

/** Names the run that has used most of a limit for each run. */
export function describeRun({ run }: Pick<LimitState, 'run'>): string {
  return run ?? 'requests without a session';
}

/** Finds the id of the limit that refused a request, in the text of the refusal; `null` when it names none. */
export function findLimitId(refusal: string): string | null {
  return /\((?<id>limit-[\da-f]{16})\)/u.exec(refusal)?.groups?.['id'] ?? null;
}
