import type { Session as ElectronSession } from 'electron';
import { Doubled } from './doubled.ts';
import { protocol } from './protocol.ts';
import { afterReady } from './readiness.ts';
import { answers, note } from './test-side.ts';

type PermissionRequest = Parameters<ElectronSession['setPermissionRequestHandler']>[0];
type PermissionCheck = Parameters<ElectronSession['setPermissionCheckHandler']>[0];

/** Who is asked when a page wants something. */
const permissions: { request: PermissionRequest; check: PermissionCheck } = {
  request: null,
  check: null,
};

let proxy = 'DIRECT';

class Session
  extends Doubled
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

  /** Without one Electron grants everything. */
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
  get defaultSession(): Session {
    afterReady('session cannot be used');
    return defaultSession;
  },
};

answers.proxyIs = (answer: string): void => {
  proxy = answer;
};
