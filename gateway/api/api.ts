export type { ApiContext } from './procedures/base.ts';
export { createControlHandler } from './http/control-handler.ts';
export { createSignInLink } from './http/sessions.ts';
export { isMediaPath, type MediaRegistry, createMediaRegistry } from './http/media.ts';
export { openPageFiles, formatPagePolicy } from './http/page-files.ts';
export { openWindowServer, type WindowServer } from './http/window-server.ts';
