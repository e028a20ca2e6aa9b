import { VIDEOS_CLIENT_ID } from '../../shared/client.ts';
import type { UsageScope } from '../../shared/history/history.ts';
import { isAtOnce, type Limit, type LimitKind, type TimePeriod } from '../../shared/money/limit.ts';
import {
  calendarPeriod,
  endOfCounting,
  LONGEST_PERIOD_MS,
  rollingPeriod,
  type Span,
} from './period.ts';
import { RunCounts, type RunRequest, type RunUsed } from './run-counts.ts';
import { NO_USE, Timeline, type Use } from './timeline.ts';

/** Whose use it is, at which service, of which run, and when: a Unix time in milliseconds. */
interface Spender extends RunRequest {
  readonly at: number;
}

/** What a request has used of money and tokens. */
export type Spent = Pick<Use, 'money' | 'tokens'>;

/** A request that is counted until it is settled or cancelled; what is called later does nothing. */
interface CountedRequest {
  /** What is counted of it. */
  readonly counted: Spent;
  /** Counts what it has used so far where that is more. */
  raise(used: Spent): void;
  /** Replaces what is counted by what it used. */
  settle(used: Spent): void;
  /** Takes it back. */
  cancel(): void;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Stands for all clients together. */
const ALL = '*';

/** What clients and runs have used, and how many of their requests are in flight, in memory. */
export class SpendCounts {
  /** Use by scope and client. */
  readonly #timelines = new Map<string, Timeline>();
  /** Use of this run in the latest hours: what is known of earlier runs is too coarse for limits per minute. */
  readonly #ownTimelines = new Map<string, Timeline>();
  readonly #inFlight = new Map<string, number>();
  readonly #runs = new RunCounts();
  #trimmedAt = 0;

  /** Adds what an earlier run has used. */
  addEarlier({ scope, clientId, at }: Pick<Spender, 'scope' | 'clientId' | 'at'>, use: Use): void {
    for (const client of [clientId, ALL]) find(this.#timelines, toKey(scope, client)).add(at, use);
  }

  /** Adds what a run used before this process began. */
  addEarlierRun(...run: Parameters<RunCounts['addEarlier']>): void {
    this.#runs.addEarlier(...run);
  }

  /** Counts a request with its estimate. */
  begin(spender: Spender, estimate: Use): CountedRequest {
    const { scope, clientId, at } = spender;
    const [own, all] = [toKey(scope, clientId), toKey(scope, ALL)];
    const ofRun = clientId === VIDEOS_CLIENT_ID ? null : this.#runs.begin(spender, estimate);
    const places: Places = {
      keys: [own, all],
      timelines: [
        find(this.#timelines, own),
        find(this.#timelines, all),
        find(this.#ownTimelines, own),
        find(this.#ownTimelines, all),
      ],
      inFlight: this.#inFlight,
      ofRun,
    };
    return new InFlightUse(places, at, estimate);
  }

  /** Returns what is used of a limit for a request: in its period, or by its run. */
  used(limit: Limit, spender: Spender): number {
    return limit.period === 'run'
      ? this.#runs.used(limit.measure, spender)
      : this.usedInPeriod(limit, spender.scope, spender.at);
  }

  /** Returns what is used of a limit in its period at a Unix time in milliseconds; 0 for one of runs. */
  usedInPeriod(
    { measure, clientId, period, rolling }: LimitKind,
    scope: UsageScope,
    at: number,
  ): number {
    if (measure === 'agents' || period === 'run') return 0;
    if (measure === 'concurrent') return this.#inFlight.get(toKey(scope, clientId ?? ALL)) ?? 0;
    const timeline = this.#timelineOf(period, clientId, scope);
    return timeline?.sum(spanOf(period, rolling, at))[measure] ?? 0;
  }

  /** Returns the run that has used most of a limit lately, see {@link RunCounts.findMost}. */
  findMostUsed(...query: Parameters<RunCounts['findMost']>): RunUsed | null {
    return this.#runs.findMost(...query);
  }

  /** Returns whether a Unix time in milliseconds is in the period of a limit that `now` is in; a run ends at no certain time. */
  isInPeriod({ period, rolling }: Limit, at: number, now: number): boolean {
    if (period === 'run') return now - at < HOUR_MS;
    const { from, to } = spanOf(period, rolling, now);
    return at >= from && at < to;
  }

  /** Returns when a calendar period ends, or when the earliest use in a rolling one does not count any more; `null` when nothing counts. */
  resetOf(
    { measure, period, rolling, clientId }: Limit,
    scope: UsageScope,
    at: number,
  ): number | null {
    if (isAtOnce(measure) || period === 'run') return null;
    if (!rolling) return calendarPeriod(period, at).to;
    const span = spanOf(period, rolling, at);
    const first = this.#timelineOf(period, clientId, scope)?.firstIn(span) ?? null;
    return first === null ? null : first + (at - span.from) + MINUTE_MS;
  }

  /** Forgets once an hour what no limit counts. */
  trim(now: number): void {
    if (Math.abs(now - this.#trimmedAt) < HOUR_MS) return;
    this.#trimmedAt = now;
    for (const timeline of this.#timelines.values()) timeline.trim(now - 2 * LONGEST_PERIOD_MS);
    for (const timeline of this.#ownTimelines.values()) timeline.trim(now - 2 * HOUR_MS);
  }

  #timelineOf(
    period: TimePeriod,
    clientId: string | null,
    scope: UsageScope,
  ): Timeline | undefined {
    const timelines = period === 'minute' ? this.#ownTimelines : this.#timelines;
    return timelines.get(toKey(scope, clientId ?? ALL));
  }
}

/** Where a request is counted. */
interface Places {
  /** Of its client, and of all clients. */
  readonly keys: readonly string[];
  readonly timelines: readonly Timeline[];
  readonly inFlight: Map<string, number>;
  readonly ofRun: ReturnType<RunCounts['begin']> | null;
}

/** A request that is counted until it ends. Every request has one, so it is an object without functions of its own. */
class InFlightUse implements CountedRequest {
  counted: Spent;
  readonly #places: Places;
  readonly #at: number;
  #isOpen = true;

  constructor(places: Places, at: number, estimate: Use) {
    this.#places = places;
    this.#at = at;
    this.counted = estimate;
    this.#add(estimate, 1);
  }

  raise(used: Spent): void {
    if (!this.#isOpen) return;
    const { counted } = this;
    const money = Math.max(used.money, counted.money);
    const tokens = Math.max(used.tokens, counted.tokens);
    if (money === counted.money && tokens === counted.tokens) return;
    this.counted = { money, tokens };
    const change = { ...differenceOf(this.counted, counted), requests: 0 };
    this.#add(change, 0);
    this.#places.ofRun?.add(change);
  }

  settle(used: Spent): void {
    this.#end(used, 0);
  }

  cancel(): void {
    this.#end(NO_USE, -1);
  }

  #end(used: Spent, requests: number): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const change = { ...differenceOf(used, this.counted), requests };
    this.#add(change, -1);
    this.#places.ofRun?.end(change);
  }

  #add(use: Use, inFlight: number): void {
    const { keys, timelines } = this.#places;
    for (const timeline of timelines) timeline.add(this.#at, use);
    for (const key of keys) addCount(this.#places.inFlight, key, inFlight);
  }
}

function differenceOf(one: Spent, other: Spent): Spent {
  return { money: one.money - other.money, tokens: one.tokens - other.tokens };
}

function toKey(scope: UsageScope, client: string): string {
  return `${scope}\n${client}`;
}

function find(timelines: Map<string, Timeline>, key: string): Timeline {
  let timeline = timelines.get(key);
  if (timeline === undefined) timelines.set(key, (timeline = new Timeline()));
  return timeline;
}

function spanOf(period: TimePeriod, rolling: boolean, at: number): Span {
  if (rolling) return rollingPeriod(period, at);
  const { from, to } = calendarPeriod(period, at);
  return { from, to: Math.min(to, endOfCounting(at)) };
}

function addCount(counts: Map<string, number>, key: string, change: number): void {
  // An entry that is removed and added with each request would make the map grow anew again and again.
  counts.set(key, Math.max(0, (counts.get(key) ?? 0) + change));
}
