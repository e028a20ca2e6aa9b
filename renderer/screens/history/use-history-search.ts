import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { ExchangeId } from '../../../shared/exchange/exchange.ts';
import { parseFilter } from '../../../shared/filter-language/parse.ts';
import type { ParsedFilter } from '../../../shared/filter-language/terms.ts';
import { listBodyTexts, toFilter } from '../../../shared/filter-language/to-filter.ts';
import type { HistoryFilter, ServiceName } from '../../../shared/history/history.ts';
import { useCalls } from '../../api/client.ts';
import { useToday } from '../../hooks/use-today.ts';
import { type BodySearch, useBodySearch } from '../../hooks/use-body-search.ts';

/** The search parameters in the URL and functions that change them. */
export interface HistoryAddress {
  /** The filter as it was typed. */
  readonly text: string;
  readonly parsed: ParsedFilter;
  /** The same object as long as the URL selects the same. */
  readonly filter: HistoryFilter;
  /** The search in requests and responses; `null` when the filter asks for none. */
  readonly bodySearch: BodySearch | null;
  readonly opened: ExchangeId | null;
  readonly write: (text: string) => void;
  readonly reset: () => void;
  readonly open: (id: ExchangeId) => void;
  readonly close: () => void;
}

const NO_SERVICES: readonly ServiceName[] = [];

/** Keeps the filter and the open exchange in the URL: they survive a reload and can be shared. */
export function useHistorySearch(): HistoryAddress {
  const { filter: text = '', exchange } = useSearch({ from: '/history' });
  const navigate = useNavigate({ from: '/history' });
  const parsed = useMemo(() => parseFilter(text), [text]);
  const bodySearch = useBodySearch(listBodyTexts(parsed.terms.map(({ term }) => term)));
  const filter = useFilter(parsed, bodySearch?.ids ?? null);
  const isOpen = exchange !== undefined;
  return {
    text,
    parsed,
    filter,
    bodySearch,
    opened: isOpen ? ExchangeId.parse(exchange) : null,
    write: useCallback(
      (changed) =>
        void navigate({
          search: (before) => ({ ...before, filter: changed === '' ? undefined : changed }),
          replace: true,
        }),
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

function useFilter({ terms }: ParsedFilter, ids: readonly ExchangeId[] | null): HistoryFilter {
  const namesService = terms.some(({ term }) => term.kind === 'names' && term.field === 'service');
  const isTimed = terms.some(({ term }) => term.kind === 'time');
  const enabled = namesService;
  const { data: names } = useQuery(useCalls().history.names.queryOptions({ enabled }));
  const services = namesService ? (names?.services ?? NO_SERVICES) : NO_SERVICES;
  const today = useToday();
  // Days restart at midnight; an age counts from when it was typed until then, or the list would reload all the time.
  const day = isTimed ? today : null;
  const filter = useMemo(
    () =>
      toFilter(
        terms.map(({ term }) => term),
        { now: Date.now(), services },
      ),
    // oxlint-disable-next-line react/exhaustive-deps -- at midnight times mean others
    [terms, services, day],
  );
  return useMemo(() => (ids === null ? filter : { ...filter, ids: [...ids] }), [filter, ids]);
}
