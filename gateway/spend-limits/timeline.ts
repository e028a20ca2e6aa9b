import type { Span } from './period.ts';

/** Amounts of use: millionths of the currency, tokens, and requests. */
export interface Use {
  readonly money: number;
  readonly tokens: number;
  readonly requests: number;
}

export const NO_USE: Use = { money: 0, tokens: 0, requests: 0 };

interface Entry {
  readonly minute: number;
  money: number;
  tokens: number;
  requests: number;
}

interface Cached extends Span {
  readonly sum: { money: number; tokens: number; requests: number };
}

const MINUTE_MS = 60_000;
/** Spans whose sums are remembered: those of the limits of one client. */
const MAX_CACHED = 16;

/** Sums of use over time, minute by minute. A span is asked for again and again, so its sum is kept up to date. */
export class Timeline {
  readonly #entries: Entry[] = [];
  readonly #cached: Cached[] = [];

  /** Adds use at a Unix time in milliseconds; what was added may be taken away again with negative amounts. */
  add(at: number, use: Use): void {
    const minute = Math.floor(at / MINUTE_MS);
    const index = this.#findIndex(minute);
    const entry = this.#entries[index];
    if (entry?.minute === minute) addTo(entry, use);
    else this.#entries.splice(index, 0, { minute, ...use });
    for (const { from, to, sum } of this.#cached) {
      if (isWithin(minute, { from, to })) addTo(sum, use);
    }
  }

  /** Returns the use in the minutes that a span touches. */
  sum(span: Span): Use {
    const from = Math.floor(span.from / MINUTE_MS) * MINUTE_MS;
    const known = this.#cached.find((one) => one.from === from && one.to === span.to);
    if (known !== undefined) return known.sum;
    const sum = { ...NO_USE };
    for (let index = this.#findIndex(from / MINUTE_MS); index < this.#entries.length; index += 1) {
      const entry = this.#entries[index];
      if (entry === undefined || !isWithin(entry.minute, { from, to: span.to })) break;
      addTo(sum, entry);
    }
    if (this.#cached.length >= MAX_CACHED) this.#cached.shift();
    this.#cached.push({ from, to: span.to, sum });
    return sum;
  }

  /** Returns the first minute in a span with use, as Unix time in milliseconds; `null` when there is none. */
  firstIn(span: Span): number | null {
    const entry = this.#entries[this.#findIndex(Math.floor(span.from / MINUTE_MS))];
    return entry === undefined || entry.minute * MINUTE_MS >= span.to
      ? null
      : entry.minute * MINUTE_MS;
  }

  /** Forgets what was before a Unix time in milliseconds. */
  trim(before: number): void {
    const count = this.#findIndex(Math.floor(before / MINUTE_MS));
    if (count > 0) this.#entries.splice(0, count);
  }

  /** Finds the first entry at a minute or after it. New entries are nearly always the last. */
  #findIndex(minute: number): number {
    let index = this.#entries.length;
    const last = this.#entries[index - 1];
    if (last !== undefined && last.minute < minute) return index;
    let low = 0;
    while (low < index) {
      const middle = (low + index) >>> 1;
      if ((this.#entries[middle]?.minute ?? 0) < minute) low = middle + 1;
      else index = middle;
    }
    return low;
  }
}

function isWithin(minute: number, { from, to }: Span): boolean {
  const at = minute * MINUTE_MS;
  return at >= from && at < to;
}

function addTo(sum: { money: number; tokens: number; requests: number }, use: Use): void {
  sum.money += use.money;
  sum.tokens += use.tokens;
  sum.requests += use.requests;
}
