import { implement } from '@orpc/server';
import { contract } from '../../../shared/contract.ts';
import type { Gateway } from '../../gateway.ts';
import type { Host } from '../../host.ts';
import type { Store } from '../../store/store.ts';
import type { DiskFile } from '../../lib/disk.ts';
import { toRpcError } from './rpc-errors.ts';

/** What every call works with. */
export interface ApiContext {
  readonly gateway: Gateway;
  readonly store: Store;
  readonly host: Host;
  /** Where browsers find the window; `null` when it is in a window of its own. */
  readonly windowPort: number | null;
  /** Gives an address under which this window finds a file; absent where the transport has none. */
  readonly media?: (file: DiskFile) => string | Promise<string>;
}

/** The contract, to be implemented call by call. Whatever a call throws arrives as one of the contract's problems or as our fault. */
export const procedures = implement(contract)
  .$context<ApiContext>()
  .use(async ({ next, context, path }) => {
    try {
      return await next();
    } catch (error) {
      throw toRpcError(error, { log: context.host.log, call: path.join('.') });
    }
  });
