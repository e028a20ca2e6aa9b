import { useQuery } from '@tanstack/react-query';
import { useCalls } from '../api/client.ts';

/** The advice for a client that used https:// for the address of Gatehouse. */
export function HttpsAdvice() {
  const { data } = useQuery(useCalls().status.get.queryOptions());
  return `This client used https://. Use ${data?.baseUrls.chat ?? 'http://'}.`;
}
