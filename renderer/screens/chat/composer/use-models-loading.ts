import { useQuery } from '@tanstack/react-query';
import { useCalls } from '../../../api/client.ts';

/** Whether the answering model is still unknown: none is selected, and the default is not loaded yet. */
export function useModelsLoading(models: readonly string[]): boolean {
  const calls = useCalls();
  const latest = useQuery(calls.chat.page.queryOptions({ input: { find: '', limit: 1 } }));
  const { data, isPending } = useQuery(calls.models.list.queryOptions());
  const isUntold = data?.fetchedAt === null && data.problem === null;
  return models.includes('') && (latest.isPending || isPending || isUntold);
}
