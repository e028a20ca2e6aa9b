import { Agent } from './undici.ts';

/**
 * Dispatcher for calls to our own proxy. The global dispatcher may use a proxy of the environment, which would see the local
 * key.
 */
export const directDispatcher = new Agent({ allowH2: false });
