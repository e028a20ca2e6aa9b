import { useEffect, useState } from 'react';
import type { ExchangeId } from '../../shared/exchange/exchange.ts';
import type { RunningExchange } from '../../shared/history/history.ts';
import { useInFlight } from '../api/use-live.ts';
import { mergeInFlight, visibleInFlight, type InFlight } from './in-flight.ts';

const TICK_MS = 500;
const NONE: readonly RunningExchange[] = [];

interface Shown {
  readonly exchanges: readonly RunningExchange[];
  /** Unix time in milliseconds of the snapshot. */
  readonly now: number;
}

/**
 * Returns the exchanges in progress to show above the list, of those that `matches` selects. They do not change while the user reads
 * further down.
 */
export function useInFlightRows(
  matches: (exchange: RunningExchange) => boolean,
  written: ReadonlySet<ExchangeId>,
  atTop: boolean,
): Shown {
  const running = useInFlight();
  const [known, setKnown] = useState<readonly InFlight[]>([]);
  const [shown, setShown] = useState<Shown>({ exchanges: NONE, now: 0 });
  useEffect(() => {
    setKnown((before) => mergeInFlight(before, running.exchanges, Date.now()));
  }, [running]);
  useEffect(() => {
    if (!atTop) return undefined;
    const update = (): void => {
      const now = Date.now();
      const passing = known.filter(({ exchange }) => matches(exchange));
      const exchanges = visibleInFlight(passing, written, now);
      setShown((before) =>
        exchanges.length === 0 && before.exchanges === NONE
          ? before
          : { exchanges: exchanges.length === 0 ? NONE : exchanges, now },
      );
    };
    update();
    if (known.length === 0) return undefined;
    const timer = setInterval(update, TICK_MS);
    return () => clearInterval(timer);
  }, [known, written, matches, atTop]);
  return shown;
}
