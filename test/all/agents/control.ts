import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/fetch';
import type { ContractRouterClient } from '@orpc/contract';
import { readLockOwner } from '../../../host/lock/instance-lock.ts';
import type { Contract } from '../../../shared/contract.ts';

/** Returns the calls of the Gatehouse that runs on a data folder, as its window makes them. */
export async function openControl(dataDir: string): Promise<ContractRouterClient<Contract>> {
  const owner = await readLockOwner(dataDir);
  if (owner?.port == null || owner.controlKey === null) throw new Error('No Gatehouse is running.');
  const link = new RPCLink({
    url: `http://127.0.0.1:${owner.port}/control`,
    headers: { authorization: `Bearer ${owner.controlKey}` },
  });
  return createORPCClient(link);
}
