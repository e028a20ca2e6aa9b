/** The types of `http-proxy` 1.18 that the bench uses; the package has none. */
declare module 'http-proxy' {
  import type { Agent, IncomingMessage, ServerResponse } from 'node:http';

  interface Proxy {
    web(request: IncomingMessage, response: ServerResponse): void;
    on(event: 'error', listener: (error: Error) => void): void;
  }
  const httpProxy: {
    createProxyServer(options: { readonly target: string; readonly agent: Agent }): Proxy;
  };
  export default httpProxy;
}
