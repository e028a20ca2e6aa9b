import { formatCount, formatDuration, pluralize } from '../format.ts';
import { formatMoney } from '../money/format-money.ts';
import type {
  CacheCause,
  CacheMiss,
  MissSum,
  ParameterChange,
  RunSequence,
  RunStep,
  StepChange,
  ToolChanges,
} from './run.ts';

/** The mark with which clients ask for a cache; {@link describeParameters} treats it like a parameter. */
export const CACHE_MARK = 'cache_control';

/** A step as far as the cache that it left is concerned. */
export type CachedStep = Pick<
  RunStep,
  'startedAt' | 'durationMs' | 'firstByteMs' | 'usage' | 'model' | 'comparison'
>;

/** A step as far as it may have missed the cache. */
export type ReadingStep = CachedStep & Pick<RunStep, 'change' | 'results' | 'heldMs'>;

/** Tokens that a service caches at least, so less is no loss (most services name 1,024). */
const MIN_LOST = 1_024;
/** The part of the request before that a normal step reads from the cache again. */
const MIN_READ = 0.8;
const MINUTE_MS = 60_000;
/** Services keep an unused cache for about five minutes, or for an hour where the request asked for that. */
const SHORT_LIFE_MS = 5 * MINUTE_MS;
const LONG_LIFE_MS = 60 * MINUTE_MS;
/** Fields that choose among likely words. Few services cache by them. */
const SAMPLING: ReadonlySet<string> = new Set(['temperature', 'top_p', 'top_k']);

/** Returns when the cache of a step was last read or written, in Unix milliseconds: when its answer began. */
function findCacheUse({ startedAt, firstByteMs, durationMs }: CachedStep): number {
  return startedAt + Math.max(0, Math.min(firstByteMs ?? durationMs, durationMs));
}

/**
 * Returns how long the service keeps the cache of a step while nobody reads it. Of parts with two lives the shorter one counts. `null`
 * where the service does not say what it writes: then its terms are not known.
 */
export function findCacheLife({
  usage: { cacheWrite, cacheWriteHour },
  comparison,
}: Pick<RunStep, 'usage' | 'comparison'>): number | null {
  if (cacheWrite === null) return null;
  if (cacheWrite === 0) return comparison?.lifeMs ?? SHORT_LIFE_MS;
  return (cacheWriteHour ?? 0) >= cacheWrite ? LONG_LIFE_MS : SHORT_LIFE_MS;
}

/** Whether a step left something in a cache, or read it there, as far as its service reports it. */
function usesCache({ usage: { cacheRead, cacheWrite } }: Pick<RunStep, 'usage'>): boolean {
  return (cacheRead ?? 0) > 0 || (cacheWrite ?? 0) > 0;
}

/** The cache that the next request of a run can read. Times in Unix milliseconds. */
export interface RunCache {
  readonly usedAt: number;
  readonly lifeMs: number;
}

/** Finds the cache of the latest step of the agent itself; `null` where its service reports none. */
export function findRunCache(sequences: readonly RunSequence[]): RunCache | null {
  const steps = sequences
    .filter(({ kind }) => kind === 'main' || kind === 'continued')
    .flatMap((sequence) => sequence.steps)
    .filter(({ usage }) => usage.cacheRead !== null);
  const latest = steps.reduce<RunStep | null>(
    (last, step) => (last === null || step.startedAt >= last.startedAt ? step : last),
    null,
  );
  const lifeMs = latest === null ? null : findCacheLife(latest);
  if (latest === null || lifeMs === null || !usesCache(latest)) return null;
  return { usedAt: findCacheUse(latest), lifeMs };
}

/** Whether these counts leave open that the cache missed, whatever the request before was. */
export function mayHaveMissed({ input, cacheRead }: RunStep['usage']): boolean {
  return (
    input !== null &&
    cacheRead !== null &&
    input - cacheRead >= MIN_LOST &&
    cacheRead < MIN_READ * input
  );
}

/**
 * Finds out whether the cache missed, and why, from the numbers that the service reported and from what differs in the request. Where
 * the request before left nothing in a cache, nothing is missed, and neither where its history was shortened, nor at the first request
 * of another agent.
 */
export function findCacheMiss(step: ReadingStep, before: CachedStep | null): CacheMiss | null {
  const { input, cacheRead } = step.usage;
  const cached = before === null ? null : findCached(before);
  if (before === null || input === null || cacheRead === null || cached === null) return null;
  if (step.comparison?.isOtherAgent === true) return null;
  const expected = Math.min(input, cached);
  const lost = expected - cacheRead;
  if (lost < MIN_LOST || cacheRead >= MIN_READ * expected) return null;
  const own = listOwnCauses(step, before);
  if (own.length === 0 && step.change?.kind === 'shortened') return null;
  const causes = [...own, ...listOtherCauses(step, before)];
  return { lost, causes: causes.length > 0 ? causes : [findRest(step, before)] };
}

/**
 * Returns the tokens of a step that are in the cache after it; `null` when that is not known. Services that report no writes keep what
 * they like: that they kept anything is only known once something was read.
 */
function findCached({ usage: { input, cacheRead, cacheWrite } }: CachedStep): number | null {
  if (input === null || cacheRead === null) return null;
  if (cacheWrite !== null) return cacheRead + cacheWrite;
  return cacheRead > 0 ? input : null;
}

/** Finds the misses of a run, by the ids of their steps. */
export function findCacheMisses(sequences: readonly RunSequence[]): ReadonlyMap<string, CacheMiss> {
  const byId = new Map(sequences.flatMap(({ steps }) => steps.map((step) => [step.id, step])));
  const misses = new Map<string, CacheMiss>();
  for (const { steps } of sequences) {
    for (const [place, step] of steps.entries()) {
      // Versions before compared each step with the one before it.
      const before =
        step.comparison === undefined
          ? steps[place - 1]
          : byId.get(step.comparison?.with ?? step.id);
      const miss = before === step ? null : findCacheMiss(step, before ?? null);
      if (miss !== null) misses.set(step.id, miss);
    }
  }
  return misses;
}

/** Lists what the client changed. */
function listOwnCauses(step: ReadingStep, before: CachedStep): CacheCause[] {
  const { change, comparison, model } = step;
  const causes: CacheCause[] = [];
  if (model !== before.model) {
    const text = `the model changed from ${before.model ?? 'an unknown one'} to ${model ?? 'an unknown one'}, and each model has a cache of its own`;
    causes.push({ kind: 'model', text });
  }
  const keys = (comparison?.parameters ?? []).filter(({ name }) => !SAMPLING.has(name));
  if (keys.length > 0) causes.push({ kind: 'parameters', text: describeParameters(keys) });
  if (change !== null && (change.kind === 'changed' || change.kind === 'newest')) {
    const kind = change.kind === 'newest' ? 'newest' : change.part;
    causes.push({ kind, text: describeChange(change) });
  }
  return causes;
}

/** Lists causes that may lie beside what was changed. */
function listOtherCauses(step: ReadingStep, before: CachedStep): CacheCause[] {
  const { change, comparison, results } = step;
  const causes: CacheCause[] = [];
  const idle = step.startedAt + (step.heldMs ?? 0) - findCacheUse(before);
  const life = comparison == null ? findCacheLife(before) : comparison.lifeMs;
  const follows = comparison == null ? results.length > 0 : comparison.follows;
  if (idle < 0 && !follows) {
    const text =
      'it was sent before the answer to the request before had begun, so that one had written nothing yet';
    causes.push({ kind: 'at-once', text });
  }
  if (idle > (life ?? SHORT_LIFE_MS)) {
    const text = `${formatDuration(idle)} passed since the request before, ${nameLife(life)}`;
    causes.push({ kind: 'expired', text });
  }
  const sampling = (comparison?.parameters ?? []).filter(({ name }) => SAMPLING.has(name));
  if (sampling.length > 0) {
    const text = `${describeParameters(sampling)}, by which a few services cache`;
    causes.push({ kind: 'sampling', text });
  }
  if (change?.kind === 'key order')
    causes.push({ kind: 'key-order', text: describeChange(change) });
  return causes;
}

function nameLife(life: number | null): string {
  if (life === null) return 'after which many services drop a cache';
  return `and its cache was kept for ${life === LONG_LIFE_MS ? 'an hour' : 'about five minutes'}`;
}

/** Says what remains when nothing that a request shows explains the miss. */
function findRest({ comparison, startedAt }: ReadingStep, before: CachedStep): CacheCause {
  if (comparison?.isWhole !== true) {
    const text =
      'parts of the requests were not stored or not compared, and the rest is the same, so the reason is not known';
    return { kind: 'unknown', text };
  }
  if (comparison.follows && startedAt < findCacheUse(before)) {
    const text =
      'the request only adds to the one before, but the clock was set back between them, so its cache may have expired';
    return { kind: 'unknown', text };
  }
  const text =
    'the request only adds to the one before, and too little time passed for its cache to expire, so the service dropped it early or did not find it';
  return { kind: 'evicted', text };
}

function describeParameters(changes: readonly ParameterChange[]): string {
  return changes
    .map(({ name, before, now }) => {
      if (name === CACHE_MARK)
        return `the marks for the cache (${name}) were ${now === null ? 'left out' : 'added'}`;
      if (before === null) return `the parameter ${name} was added (${now ?? ''})`;
      return now === null
        ? `the parameter ${name} was left out (before: ${before})`
        : `the parameter ${name} changed from ${before} to ${now}`;
    })
    .join('; ');
}

/** Names a change of an earlier part of the request: `the system prompt changed at character 812, a date`. */
export function describeChange(change: StepChange): string {
  const { part, place, name, kind, tools } = change;
  const message = `message ${place + 1}${name === null ? '' : ` (${name})`}`;
  if (kind === 'shortened') return `the history was shortened or rewound before ${message}`;
  const of =
    part === 'message' ? message : part === 'system' ? nameSystem(place) : nameTool(change);
  if (kind === 'key order')
    return `only the order of the keys in ${of} differs, by which some services cache`;
  if (part === 'tools') return `${describeTools(tools, name ?? `${place + 1}`)}${toWhere(change)}`;
  if (kind === 'newest')
    return `${message}, which was new in the request before, is now different${toWhere(change)}`;
  return `${of} changed${toWhere(change)}`;
}

/** Whether a change is worth a note where the cache did not miss: not that of what was new, and not that of the order of keys. */
export function isNoted({ kind }: StepChange): boolean {
  return kind === 'changed' || kind === 'shortened';
}

function nameSystem(place: number): string {
  return place === 0 ? 'the system prompt' : `text ${place + 1} of the system prompt`;
}

function nameTool({ name, place }: StepChange): string {
  return `the definition of ${name ?? `tool ${place + 1}`}`;
}

function describeTools(tools: ToolChanges | null, first: string): string {
  if (tools === null) return `the definitions of tools changed, first that of ${first}`;
  const { added, removed, changed, reordered, more } = tools;
  const parts = [
    ['added', added],
    ['removed', removed],
    ['changed', changed],
  ] as const;
  const named = parts.flatMap(([verb, names]) =>
    names.length === 0 ? [] : [`${verb} ${names.join(', ')}`],
  );
  if (reordered) named.push('in another order');
  if (more > 0) named.push(`${formatCount(more)} more`);
  if (named.length === 0) return `the definitions of tools changed, first that of ${first}`;
  return `the tools differ: ${named.join('; ')}`;
}

const LOOKS = {
  date: 'a date',
  time: 'a time',
  id: 'an id',
  path: 'a path',
  number: 'a number',
} as const;

function toWhere({ character, looksLike }: StepChange): string {
  if (character === null) return '';
  const what = looksLike === null ? '' : `, ${LOOKS[looksLike]}`;
  return ` at character ${formatCount(character)}${what}`;
}

/** Names the place of a change in the request that was sent; `null` where it is not known. */
export function describeByte({ byte }: StepChange): string | null {
  return byte === null
    ? null
    : `This is at byte ${formatCount(byte)} of the request, counted from 0.`;
}

/** Describes a miss: `41,000 tokens read again, about $0.12`. */
export function describeLoss(
  { lost, cost }: { readonly lost: number; readonly cost: number | null },
  currency: string,
): string {
  const money = cost === null ? '' : `, about ${formatMoney(cost, currency)}`;
  return `${pluralize(lost, 'token')} read again${money}`;
}

/** Describes all misses of a run: `3 times, 41,000 tokens, about $0.12`; `null` when there are none. */
export function describeMisses(
  { times, lost, cost, unpriced }: MissSum,
  currency: string,
): string | null {
  if (times === 0) return null;
  const money = cost === null ? '' : `, about ${formatMoney(cost, currency)}`;
  const lacking = cost !== null && unpriced > 0 ? `, ${formatCount(unpriced)} without a price` : '';
  return `${times === 1 ? 'once' : `${formatCount(times)} times`}, ${pluralize(lost, 'token')}${money}${lacking}`;
}
