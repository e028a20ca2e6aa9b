import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { ExchangeId } from '../../../shared/exchange.ts';
import type { HistoryFilter } from '../../../shared/history.ts';
import { toFilter, HistorySearch } from './search.ts';
import { useToday } from '../../hooks/use-today.ts';

/** The search parameters in the URL and functions that change them. */
export interface HistoryAddress {
  readonly search: HistorySearch;
  /** The same object as long as the URL selects the same. */
  readonly filter: HistoryFilter;
  readonly opened: ExchangeId | null;
  readonly narrow: (change: Partial<HistorySearch>) => void;
  readonly reset: () => void;
  readonly open: (id: ExchangeId) => void;
  readonly close: () => void;
}

/** Keeps the filter and the open exchange in the URL: they survive a reload and can be shared. */
export function useHistorySearch(): HistoryAddress {
  const search = useSearch({ from: '/history' });
  const navigate = useNavigate({ from: '/history' });
  const { exchange, ...params } = search;
  const key = JSON.stringify(params);
  const today = useToday();
  // Days restart at midnight; an hour starts where it started when it was selected, or the list would reload every minute.
  const day = params.range === undefined || params.range === 'hour' ? null : today;
  const filter = useMemo(
    () => toFilter(HistorySearch.parse(JSON.parse(key)), day ?? Date.now()),
    [key, day],
  );
  const isOpen = exchange !== undefined;
  return {
    search,
    filter,
    opened: isOpen ? ExchangeId.parse(exchange) : null,
    narrow: useCallback(
      (change) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true }),
      [navigate],
    ),
    reset: () => void navigate({ search: isOpen ? { exchange } : {} }),
    // Moving from one exchange to the next adds no entry to the browser history.
    open: useCallback(
      (id) => void navigate({ search: (before) => ({ ...before, exchange: id }), replace: isOpen }),
      [navigate, isOpen],
    ),
    close: useCallback(
      () =>
        void navigate({ search: (before) => ({ ...before, exchange: undefined }), replace: true }),
      [navigate],
    ),
  };
}
