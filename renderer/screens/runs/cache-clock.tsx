import { type PropsWithChildren, useEffect, useState } from 'react';
import type { RunId } from '../../../shared/exchange/exchange.ts';
import { formatSince } from '../../../shared/format.ts';
import { findRunCache, type RunCache } from '../../../shared/run/cache-miss.ts';
import type { RunSequence } from '../../../shared/run/run.ts';
import { useInFlight } from '../../api/use-live.ts';
import classes from './runs.module.css';

const TICK_MS = 1_000;
/** A cache that is cold for longer interests nobody. */
const SHOWN_COLD_MS = 3_600_000;

/** Says how long the next request of a run can read the cache of its latest step; nothing where the service reports none. */
export function CacheClock({
  run,
  sequences,
}: {
  readonly run: RunId;
  readonly sequences: readonly RunSequence[];
}) {
  const cache = findRunCache(sequences);
  const isInUse = useInFlight().exchanges.some(
    ({ ownRun, stage }) => ownRun === run && (stage === 'waiting' || stage === 'answering'),
  );
  if (cache === null) return null;
  if (isInUse) return <CacheState>in use right now</CacheState>;
  if (Date.now() > toEnd(cache) + SHOWN_COLD_MS) return null;
  return <Clock key={toEnd(cache)} {...cache} />;
}

function CacheState({ children }: PropsWithChildren) {
  return (
    <div className={classes['clock']}>
      <dt>Cache</dt>
      <dd data-figures>
        {/* Passing time is not announced. */}
        <span role="timer" aria-live="off">
          {children}
        </span>
      </dd>
    </div>
  );
}

function toEnd({ usedAt, lifeMs }: RunCache): number {
  return usedAt + lifeMs;
}

function Clock(cache: RunCache) {
  const left = useTimeLeft(cache);
  return (
    <CacheState>
      {left > 0
        ? `cold in ${formatClock(left)}`
        : `cold since ${formatSince(Math.min(toEnd(cache), Date.now()), Date.now())}`}
    </CacheState>
  );
}

/**
 * Returns how long a cache is kept, in milliseconds: from 0 to its life. Time passes by the clock that is never set, and by that of
 * the computer where it says more, because the first stands still while the computer sleeps.
 */
function useTimeLeft(cache: RunCache): number {
  const { lifeMs } = cache;
  const end = toEnd(cache);
  const [left, setLeft] = useState(() => findLeft(end, lifeMs));
  useEffect(() => {
    const start = { left: findLeft(end, lifeMs), clock: Date.now(), steady: performance.now() };
    let timer: ReturnType<typeof setInterval> | undefined;
    const update = (): void => {
      const passed = Math.max(Date.now() - start.clock, performance.now() - start.steady);
      const now = Math.max(0, start.left - passed);
      if (now === 0) clearInterval(timer);
      setLeft(now);
    };
    const follow = (): void => {
      clearInterval(timer);
      if (document.visibilityState !== 'visible') return;
      timer = setInterval(update, TICK_MS);
      update();
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', follow);
    };
  }, [end, lifeMs]);
  return left;
}

function findLeft(end: number, lifeMs: number): number {
  return Math.min(lifeMs, Math.max(0, end - Date.now()));
}

/** Formats a time as minutes and seconds, `4:09`. */
function formatClock(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
