import type { WebFrameMain } from 'electron';
import { PAGE_ORIGIN } from './page/page-protocol.ts';

/** Whether a message comes from our page itself, and not from a frame in it or another page. */
export function isTrustedSender(frame: WebFrameMain | null): boolean {
  return frame !== null && frame.origin === PAGE_ORIGIN && frame.parent === null;
}

/** Whether an address or an origin belongs to our page. */
export function isPageUrl(url: string): boolean {
  return url === PAGE_ORIGIN || url.startsWith(`${PAGE_ORIGIN}/`);
}
