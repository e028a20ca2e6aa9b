export type { ApiContext } from './procedures/base.ts';
export { createSignInLink } from './http/sign-in-link.ts';
export { isMediaPath, type MediaRegistry, createMediaRegistry } from './http/media.ts';
export { openPageFiles, formatPagePolicy } from './http/page-files.ts';
export { router } from './procedures/router.ts';
export { openWindowServer, type WindowServer } from './http/window-server.ts';
