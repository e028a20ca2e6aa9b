import { implement } from '@orpc/server';
import { contract } from '../../../shared/contract.ts';
import type { Gateway } from '../../gateway.ts';
import type { Host } from '../../host.ts';
import type { Store } from '../../store/store.ts';
import type { DiskFile } from '../../lib/disk.ts';
import { toRpcError } from './rpc-errors.ts';

/** Context of every call. */
export interface ApiContext {
  readonly gateway: Gateway;
  readonly store: Store;
  readonly host: Host;
  /** Port of the window for browsers; `null` in the desktop app, which has its own window. */
  readonly windowPort: number | null;
  /** Returns an address at which this window can load a file; absent where the transport has none. */
  readonly media?: (file: DiskFile) => string | Promise<string>;
  /** Ends the process once the call is answered; absent where no command may do that. */
  readonly stop?: () => void;
}

/** Implements the contract, one procedure at a time. Every error becomes one of the contract's problems or an internal fault. */
export const procedures = implement(contract)
  .$context<ApiContext>()
  .use(async ({ next, context, path }) => {
    try {
      return await next();
    } catch (error) {
      throw toRpcError(error, { log: context.host.log, call: path.join('.') });
    }
  });
