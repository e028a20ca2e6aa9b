import type { ExchangeId } from '../../shared/exchange/exchange.ts';
import type { RunningExchange } from '../../shared/history/history.ts';

/** An exchange in progress, or one that has just ended and is not in the history yet. Times in Unix milliseconds. */
export interface InFlight {
  readonly exchange: RunningExchange;
  readonly endedAt: number | null;
}

/** Exchanges that end sooner are not shown as in progress: the list would only flicker. */
const SHOWN_AFTER_MS = 400;
/** How long an ended exchange keeps its row until the history contains it. */
const LINGER_MS = 2_000;
const MAX_SHOWN = 8;

/** Merges the exchanges that the engine reported as running at `now` into those known before. */
export function mergeInFlight(
  known: readonly InFlight[],
  running: readonly RunningExchange[],
  now: number,
): readonly InFlight[] {
  const ids = new Set(running.map(({ id }) => id));
  const ended = known
    .filter(({ exchange }) => !ids.has(exchange.id))
    .map(({ exchange, endedAt }) => ({ exchange, endedAt: endedAt ?? now }))
    .filter(({ endedAt }) => now - endedAt < LINGER_MS);
  return [...running.map((exchange) => ({ exchange, endedAt: null })), ...ended];
}

/** Selects the exchanges to show above a history that already contains those in `written`: the newest few, newest first. */
export function visibleInFlight(
  underway: readonly InFlight[],
  written: ReadonlySet<ExchangeId>,
  now: number,
): readonly RunningExchange[] {
  return underway
    .filter(({ exchange, endedAt }) => {
      if (written.has(exchange.id)) return false;
      return endedAt === null
        ? now - exchange.startedAt >= SHOWN_AFTER_MS
        : now - endedAt < LINGER_MS && endedAt - exchange.startedAt >= SHOWN_AFTER_MS;
    })
    .map(({ exchange }) => exchange)
    .toSorted((a, b) => b.startedAt - a.startedAt)
    .slice(0, MAX_SHOWN);
}
