import { useQuery } from '@tanstack/react-query';
import { useCalls } from '../api/client.ts';

/** Returns the currency of prices and costs; US dollars until it is known. */
export function useCurrency(): string {
  const { data } = useQuery(useCalls().settings.get.queryOptions());
  return data?.settings.currency ?? 'USD';
}
