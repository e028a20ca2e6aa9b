import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ExchangeId } from '../../../../../shared/exchange/exchange.ts';
import { useCalls } from '../../../../api/client.ts';

/** Changes the mark of an exchange. The details show the new one at once, the lists after the event that follows. */
export function useChangeMark(id: ExchangeId) {
  const calls = useCalls();
  const queries = useQueryClient();
  return useMutation(
    calls.history.mark.mutationOptions({
      onSuccess: (mark) => {
        const { queryKey } = calls.history.get.queryOptions({ input: { id } });
        queries.setQueryData(queryKey, (detail) => detail && { ...detail, mark });
      },
    }),
  );
}
