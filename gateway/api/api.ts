export type { ApiContext } from './base.ts';
export { makeWindowLink } from './links.ts';
export { router } from './router.ts';
export { openWindowServer, type WindowServer, type WindowServerOptions } from './window-server.ts';
