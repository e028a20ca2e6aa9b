import { type BodySearchResult, MAX_BODY_HITS } from '../../../shared/exchange/body.ts';
import type { BodyHits, BodySearch } from '../protocol.ts';

/** A search ends after this time. */
const MAX_MS = 2_000;
/** Exchanges of one step; other work of the thread comes in between. */
const STEP = 200;

/** Searches step by step, and yields all that was found so far after each one. Ends early with its signal, or when it takes too long. */
export async function* searchBodies(
  phrases: readonly string[],
  signal: AbortSignal,
  search: (query: BodySearch) => Promise<BodyHits>,
): AsyncGenerator<BodySearchResult> {
  const deadline = performance.now() + MAX_MS;
  const ids: BodySearchResult['ids'] = [];
  let before: number | null = null;
  while (!signal.aborted) {
    const found: BodyHits = await search({ phrases, before, limit: STEP });
    const { next, through } = found;
    ids.push(...found.ids);
    const isOver = performance.now() > deadline || ids.length >= MAX_BODY_HITS;
    const state = next === null ? 'done' : isOver ? 'stopped' : 'running';
    yield { ids: [...ids], state, through };
    if (state !== 'running') return;
    before = next;
  }
}
