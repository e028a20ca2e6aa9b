import type { Dispatcher } from 'undici';
import methods from 'undici/lib/api/index.js';
import AgentClass from 'undici/lib/dispatcher/agent.js';
import DispatcherClass from 'undici/lib/dispatcher/dispatcher.js';

// The parts of undici that the gateway uses. All of undici, with `fetch` and its caches, takes a fifth of the time to load.
export { default as buildConnector } from 'undici/lib/core/connect.js';
export { default as errors } from 'undici/lib/core/errors.js';
export { default as Agent } from 'undici/lib/dispatcher/agent.js';
export { default as Client } from 'undici/lib/dispatcher/client.js';
export { default as Dispatcher } from 'undici/lib/dispatcher/dispatcher.js';
export { default as Pool } from 'undici/lib/dispatcher/pool.js';

// The entry file of undici gives dispatchers these methods.
Object.assign(DispatcherClass.prototype, methods);

/**
 * Dispatcher for calls to our own proxy. The global dispatcher may use a proxy of the environment, which would see the local
 * key.
 */
export const directDispatcher = new AgentClass({ allowH2: false });

export type RequestOptions = Omit<Dispatcher.RequestOptions, 'origin' | 'path' | 'method'> & {
  readonly dispatcher: Dispatcher;
  readonly method?: Dispatcher.HttpMethod;
};

/** Sends a request with this dispatcher, and resolves when the head of the response has arrived. Rejects with undici's error. */
export async function request(
  url: string,
  { dispatcher, method = 'GET', ...options }: RequestOptions,
): Promise<Dispatcher.ResponseData> {
  const { origin, pathname, search } = new URL(url);
  return await dispatcher.request({ ...options, origin, path: `${pathname}${search}`, method });
}
