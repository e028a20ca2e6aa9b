import type { ContractRouterClient } from '@orpc/contract';
import { createTanstackQueryUtils, type RouterUtils } from '@orpc/tanstack-query';
import { createContext, use } from 'react';
import type { Contract } from '../../shared/contract.ts';

/** The typed procedures of the contract, independent of the transport. */
export type Client = ContractRouterClient<Contract>;

/** The procedures as options for TanStack Query: `useQuery(calls.status.get.queryOptions())`. */
export type Calls = RouterUtils<Client>;

export function toCalls(client: Client): Calls {
  return createTanstackQueryUtils(client);
}

const CallsContext = createContext<Calls | null>(null);
export const CallsProvider = CallsContext.Provider;

/** Returns the procedures for a component. Streams and one-off calls: `calls.history.export.call(…)`. */
export function useCalls(): Calls {
  const calls = use(CallsContext);
  if (calls === null) throw new Error('This component needs a CallsProvider above it.');
  return calls;
}
