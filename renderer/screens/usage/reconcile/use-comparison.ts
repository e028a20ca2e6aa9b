import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import type { UsageReconciliation } from '../../../../shared/reconcile/reconcile-contract.ts';
import type { UsageColumns } from '../../../../shared/reconcile/usage-columns.ts';
import { useCalls } from '../../../api/client.ts';

/** The columns and the days of a comparison: texts such as `2026-11-21`, empty for those of the export. */
export interface ComparisonQuery {
  readonly columns: UsageColumns;
  readonly firstDay: string;
  readonly lastDay: string;
}

/** A comparison that has ended. */
export interface FinishedComparison {
  readonly query: ComparisonQuery;
  readonly found: UsageReconciliation;
}

/** The comparison of one export, and the functions that start and stop it. */
export interface Comparison {
  /** The latest one, which stays when the person goes to a request and comes back. */
  readonly latest: FinishedComparison | null;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly compare: (query: ComparisonQuery) => void;
  readonly stop: () => void;
}

/** Compares an export with the history. Leaving the screen ends it. */
export function useComparison(upload: string, service: string | null): Comparison {
  const calls = useCalls();
  const queries = useQueryClient();
  const queryKey = ['comparison with an export', upload, service];
  const { data = null } = useQuery<FinishedComparison | null>({
    queryKey,
    queryFn: () => null,
    enabled: false,
  });
  const stopping = useRef(new AbortController());
  const stop = useCallback(() => stopping.current.abort(), []);
  useEffect(() => stop, [stop]);
  const { isPending, error, mutate } = useMutation({
    mutationFn: async (query: ComparisonQuery) => {
      stopping.current = new AbortController();
      const { signal } = stopping.current;
      const input = { upload, service, columns: query.columns, ...toPeriod(query) };
      try {
        return await calls.usage.reconcile.compare.call(input, { signal });
      } catch (failure) {
        if (signal.aborted) return null;
        throw failure;
      }
    },
    onSuccess: (found, query) => {
      if (found !== null) queries.setQueryData(queryKey, { query, found });
    },
  });
  return { latest: data, isPending, error, compare: mutate, stop };
}

/** Days are local ones, and the last one counts as a whole. */
function toPeriod({ firstDay, lastDay }: ComparisonQuery) {
  return {
    since: firstDay === '' ? null : startOfDay(firstDay, 0),
    until: lastDay === '' ? null : startOfDay(lastDay, 1),
  };
}

function startOfDay(day: string, later: number): number {
  const date = new Date(`${day}T00:00`);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + later).getTime();
}
