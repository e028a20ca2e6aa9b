import { strictly } from './strict-mock.ts';
import { PageServer, type SchemeHandler } from './page/page-server.ts';
import { afterReady, beforeReady } from './readiness.ts';
import { note } from './test-side.ts';

export const pages = new PageServer();

let privileged = false;

export const protocol = strictly('protocol', {
  registerSchemesAsPrivileged(schemes: readonly Electron.CustomScheme[]): void {
    beforeReady('protocol.registerSchemesAsPrivileged');
    if (privileged) throw new Error('protocol.registerSchemesAsPrivileged can be called only once');
    privileged = true;
    note('protocol.registerSchemesAsPrivileged', schemes);
  },
  handle(scheme: string, handler: SchemeHandler): void {
    afterReady('protocol.handle cannot be called');
    pages.handle(scheme, handler);
  },
  unhandle(scheme: string): void {
    pages.unhandle(scheme);
  },
  isProtocolHandled(scheme: string): boolean {
    return pages.isHandled(scheme);
  },
});
