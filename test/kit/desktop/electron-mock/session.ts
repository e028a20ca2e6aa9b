import type { Session as ElectronSession } from 'electron';
import { MockEvent } from './app.ts';
import { StrictMock } from './strict-mock.ts';
import { DownloadItem, endDownload, placeOf } from './downloads.ts';
import type { Control } from './transport/messages.ts';
import { appUrl } from './page/page-server.ts';
import { protocol } from './protocol.ts';
import { afterReady } from './readiness.ts';
import { answers, note } from './test-side.ts';
import { contentsOf, originOf } from './web-contents.ts';

type PermissionRequest = Parameters<ElectronSession['setPermissionRequestHandler']>[0];
type PermissionCheck = Parameters<ElectronSession['setPermissionCheckHandler']>[0];

/** These handlers of the app are asked when a page wants a permission. */
const permissions: { request: PermissionRequest; check: PermissionCheck } = {
  request: null,
  check: null,
};

let proxy = 'DIRECT';

class Session
  extends StrictMock
  implements
    Pick<
      ElectronSession,
      | 'closeAllConnections'
      | 'forceReloadProxyConfig'
      | 'resolveProxy'
      | 'setPermissionCheckHandler'
      | 'setPermissionRequestHandler'
      | 'setProxy'
      | 'setSpellCheckerEnabled'
    >
{
  readonly protocol = protocol;

  constructor() {
    super('session', ['will-download']);
  }

  /** Without a handler, Electron grants everything. */
  setPermissionRequestHandler(handler: PermissionRequest): void {
    permissions.request = handler;
    note('session.setPermissionRequestHandler');
  }

  setPermissionCheckHandler(handler: PermissionCheck): void {
    permissions.check = handler;
    note('session.setPermissionCheckHandler');
  }

  async resolveProxy(url: string): Promise<string> {
    note('session.resolveProxy', url);
    return proxy;
  }

  async setProxy(config: Electron.ProxyConfig): Promise<void> {
    note('session.setProxy', config);
  }

  async forceReloadProxyConfig(): Promise<void> {
    note('session.forceReloadProxyConfig');
  }

  async closeAllConnections(): Promise<void> {
    note('session.closeAllConnections');
  }

  setSpellCheckerEnabled(enable: boolean): void {
    note('session.setSpellCheckerEnabled', enable);
  }
}

const defaultSession = new Session();

export const session = {
  fromPartition(): Session {
    afterReady('session cannot be used');
    return defaultSession;
  },
  get defaultSession(): Session {
    afterReady('session cannot be used');
    return defaultSession;
  },
};

Object.assign(answers, {
  proxyIs: (answer) => {
    proxy = answer;
  },
  async permitted({ window, permission, url }) {
    const requestingUrl = appUrl(url);
    const asker = contentsOf(window);
    const details = { requestingUrl, isMainFrame: true };
    const origin = `${originOf(requestingUrl)}/`;
    const { request, check } = permissions;
    const asked = Promise.withResolvers<boolean>();
    if (request === null) asked.resolve(true);
    else Reflect.apply(request, null, [asker, permission, asked.resolve, details]);
    const checked: unknown =
      check === null || Reflect.apply(check, null, [asker, permission, origin, details]);
    return { asked: await asked.promise, checked: checked === true };
  },
  async download(download) {
    const item = new DownloadItem(download);
    const event = new MockEvent();
    defaultSession.emit('will-download', event, item, null);
    if (!event.defaultPrevented) return await placeOf(item);
    item.end('cancelled');
    return null;
  },
  downloadEnded: ({ id, state }) => endDownload(id, state),
} satisfies Partial<Control>);
