import { z } from 'zod';
import { HistoryFilter } from '../../../shared/history.ts';

/** Named time ranges. `today`, `week` and `month` begin at midnight. */
export const HistoryRange = z.enum(['hour', 'today', 'week', 'month']);
export type HistoryRange = z.infer<typeof HistoryRange>;

const { clients, models, routes, outcome, known, repaired, streamed } = HistoryFilter.shape;

/** The latest time that `Date` can represent, in Unix milliseconds. */
const LAST_TIME = 8.64e15;
const time = z.number().int().min(0).max(LAST_TIME).optional().catch(undefined);

/** Maximum length of the search text. */
export const MAX_TEXT_LENGTH = 200;

/** Parses the filter and the open exchange from the URL's search parameters. Invalid values are dropped. */
export const HistorySearch = z.object({
  // Not trimmed: a space at the end begins the next word while typing.
  text: z.string().max(MAX_TEXT_LENGTH).optional().catch(undefined),
  clients: clients.catch(undefined),
  models: models.catch(undefined),
  routes: routes.catch(undefined),
  outcome: outcome.catch(undefined),
  known: known.catch(undefined),
  repaired: repaired.catch(undefined),
  streamed: streamed.catch(undefined),
  range: HistoryRange.optional().catch(undefined),
  since: time,
  until: time,
  exchange: z.string().optional().catch(undefined),
});
export type HistorySearch = z.infer<typeof HistorySearch>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAYS_BACK: Readonly<Record<Exclude<HistoryRange, 'hour'>, number>> = {
  today: 0,
  week: 6,
  month: 29,
};

/** Returns the start of a range at `now`. Both in Unix milliseconds. */
export function rangeStart(range: HistoryRange, now: number): number {
  if (range === 'hour') return Math.floor((now - HOUR_MS) / MINUTE_MS) * MINUTE_MS;
  const day = new Date(now);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() - DAYS_BACK[range]).getTime();
}

/** Converts search parameters to a filter at `now`; an empty one matches everything. */
export function toFilter(search: HistorySearch, now: number): HistoryFilter {
  const from = search.range === undefined ? search.since : rangeStart(search.range, now);
  const text = search.text?.trim();
  return {
    ...(text ? { text } : {}),
    ...(search.clients?.length ? { clients: search.clients } : {}),
    ...(search.models?.length ? { models: search.models } : {}),
    ...(search.routes?.length ? { routes: search.routes } : {}),
    ...(search.outcome === undefined ? {} : { outcome: search.outcome }),
    ...(search.known === undefined ? {} : { known: search.known }),
    ...(search.repaired === undefined ? {} : { repaired: search.repaired }),
    ...(search.streamed === undefined ? {} : { streamed: search.streamed }),
    ...(from === undefined ? {} : { since: from }),
    ...(search.until === undefined ? {} : { until: search.until }),
  };
}

/** Whether a filter excludes anything. */
export function isNarrowed(filter: HistoryFilter): boolean {
  return Object.keys(filter).length > 0;
}
