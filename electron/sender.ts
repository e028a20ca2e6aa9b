import type { WebFrameMain } from 'electron';
import { PAGE_ORIGIN } from './page-protocol.ts';

/** Whether a message comes from our page itself, and not from a frame in it or another page. */
export function isPage(frame: WebFrameMain | null): boolean {
  return frame !== null && frame.origin === PAGE_ORIGIN && frame.parent === null;
}
