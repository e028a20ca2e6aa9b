import type { UsageScope } from '../../shared/history/history.ts';
import type { Limit } from '../../shared/money/limit.ts';
import {
  calendarPeriod,
  endOfCounting,
  LONGEST_PERIOD_MS,
  rollingPeriod,
  type Span,
} from './period.ts';
import { Timeline, type Use } from './timeline.ts';

/** Whose use it is, at which service, and when: a Unix time in milliseconds. */
interface Spender {
  readonly scope: UsageScope;
  readonly clientId: string;
  readonly at: number;
}

/** A request that is counted until it ends. */
interface CountedRequest {
  /** Adds the difference to what was counted. A second call does nothing. */
  end(change: Use): void;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Stands for all clients together. */
const ALL = '*';

/** What clients have used, and how many of their requests are in flight, in memory. */
export class SpendCounts {
  /** Use by scope and client. */
  readonly #timelines = new Map<string, Timeline>();
  /** Use of this run in the latest hours: what is known of earlier runs is too coarse for limits per minute. */
  readonly #ownTimelines = new Map<string, Timeline>();
  readonly #inFlight = new Map<string, number>();
  #trimmedAt = 0;

  /** Adds what an earlier run has used. */
  addEarlier({ scope, clientId, at }: Spender, use: Use): void {
    for (const client of [clientId, ALL]) find(this.#timelines, toKey(scope, client)).add(at, use);
  }

  /** Counts a request with its estimate. */
  begin({ scope, clientId, at }: Spender, estimate: Use): CountedRequest {
    const keys = [toKey(scope, clientId), toKey(scope, ALL)];
    const timelines = [this.#timelines, this.#ownTimelines].flatMap((all) =>
      keys.map((key) => find(all, key)),
    );
    const add = (use: Use, change: number) => {
      for (const timeline of timelines) timeline.add(at, use);
      for (const key of keys) addCount(this.#inFlight, key, change);
    };
    add(estimate, 1);
    let isOpen = true;
    return {
      end: (change) => {
        if (!isOpen) return;
        isOpen = false;
        add(change, -1);
      },
    };
  }

  /** Returns what is used of a limit in its period at a Unix time in milliseconds. */
  used(limit: Limit, scope: UsageScope, at: number): number {
    const { measure, clientId } = limit;
    if (measure === 'concurrent') return this.#inFlight.get(toKey(scope, clientId ?? ALL)) ?? 0;
    return this.#timelineOf(limit, scope)?.sum(spanOf(limit, at))[measure] ?? 0;
  }

  /** Returns whether a Unix time in milliseconds is in the period of a limit that `now` is in. */
  isInPeriod(limit: Limit, at: number, now: number): boolean {
    const { from, to } = spanOf(limit, now);
    return at >= from && at < to;
  }

  /** Returns when a calendar period ends, or when the earliest use in a rolling one does not count any more; `null` when nothing counts. */
  resetOf(limit: Limit, scope: UsageScope, at: number): number | null {
    if (!limit.rolling) return calendarPeriod(limit.period, at).to;
    const span = spanOf(limit, at);
    const first = this.#timelineOf(limit, scope)?.firstIn(span) ?? null;
    return first === null ? null : first + (at - span.from) + MINUTE_MS;
  }

  /** Forgets once an hour what no limit counts. */
  trim(now: number): void {
    if (Math.abs(now - this.#trimmedAt) < HOUR_MS) return;
    this.#trimmedAt = now;
    for (const timeline of this.#timelines.values()) timeline.trim(now - 2 * LONGEST_PERIOD_MS);
    for (const timeline of this.#ownTimelines.values()) timeline.trim(now - 2 * HOUR_MS);
  }

  #timelineOf({ period, clientId }: Limit, scope: UsageScope): Timeline | undefined {
    const timelines = period === 'minute' ? this.#ownTimelines : this.#timelines;
    return timelines.get(toKey(scope, clientId ?? ALL));
  }
}

function toKey(scope: UsageScope, client: string): string {
  return `${scope}\n${client}`;
}

function find(timelines: Map<string, Timeline>, key: string): Timeline {
  let timeline = timelines.get(key);
  if (timeline === undefined) timelines.set(key, (timeline = new Timeline()));
  return timeline;
}

function spanOf({ period, rolling }: Limit, at: number): Span {
  if (rolling) return rollingPeriod(period, at);
  const { from, to } = calendarPeriod(period, at);
  return { from, to: Math.min(to, endOfCounting(at)) };
}

function addCount(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
