export type { ApiContext } from './base.ts';
export { makeWindowLink } from './links.ts';
export { isMedia, type Media, openMedia } from './media.ts';
export { openPageFiles, pagePolicy } from './page-files.ts';
export { router } from './router.ts';
export { openWindowServer, type WindowServer } from './window-server.ts';
