import type { ContractRouterClient } from '@orpc/contract';
import { createTanstackQueryUtils, type RouterUtils } from '@orpc/tanstack-query';
import { createContext, use } from 'react';
import type { Contract } from '../../shared/contract.ts';

/** The typed calls of the contract, whatever carries them. */
export type Client = ContractRouterClient<Contract>;

/** The same calls as options for TanStack Query: `useQuery(calls.status.get.queryOptions())`. */
export type Calls = RouterUtils<Client>;

export function toCalls(client: Client): Calls {
  return createTanstackQueryUtils(client);
}

const CallsContext = createContext<Calls | null>(null);
export const CallsProvider = CallsContext.Provider;

/** The calls for the screen that asks. Streams and one-off calls: `calls.history.export.call(…)`. */
export function useCalls(): Calls {
  const calls = use(CallsContext);
  if (calls === null) throw new Error('This part of the page stands outside of CallsProvider.');
  return calls;
}
