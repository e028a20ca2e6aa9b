import { useQuery } from '@tanstack/react-query';
import { useCalls } from '../../../api/client.ts';

/** Whether it is too early to say who will be asked: no model is chosen, and which the usual one is has not been heard yet. */
export function useModelsLoading(models: readonly string[]): boolean {
  const calls = useCalls();
  const latest = useQuery(calls.chat.page.queryOptions({ input: { find: '', limit: 1 } }));
  const { data, isPending } = useQuery(calls.models.list.queryOptions());
  const isUntold = data?.fetchedAt === null && data.problem === null;
  return models.includes('') && (latest.isPending || isPending || isUntold);
}
