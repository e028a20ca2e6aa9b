import { RPCHandler } from '@orpc/server/node';
import { router } from '../procedures/router.ts';

/** Handles the calls of windows and commands over HTTP. Its schemas take time to load, so it is loaded with the first call. */
export const rpcHandler = new RPCHandler(router);
