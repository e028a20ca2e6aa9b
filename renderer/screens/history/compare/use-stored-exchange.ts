import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { StoredExchange } from '../../../../shared/compare/compare-exchanges.ts';
import type { ExchangeId } from '../../../../shared/exchange/exchange.ts';
import { useCalls } from '../../../api/client.ts';
import { useBodies } from '../detail/bodies/use-bodies.ts';

/** Loads an exchange with its bodies; `null` until both are there. */
export function useStoredExchange(id: ExchangeId) {
  const detail = useQuery(useCalls().history.get.queryOptions({ input: { id } }));
  const { bodies, error, refetch } = useBodies(id, false);
  const exchange = detail.data?.exchange ?? null;
  const stored = useMemo(
    (): StoredExchange | null =>
      exchange?.id !== id || bodies === null ? null : { exchange, bodies },
    [exchange, bodies, id],
  );
  return {
    stored,
    error: detail.error ?? error,
    refetch: () => {
      void detail.refetch();
      refetch();
    },
  };
}
