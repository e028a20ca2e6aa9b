import { request as requestByHttp, type RequestOptions } from 'node:http';
import { StrictMock, strictly } from '../strict-mock.ts';
import { afterReady } from '../readiness.ts';

/** The part of `net` that an updater uses, on Node's own HTTP: no redirects, no TLS. */
export const net = strictly('net', {
  request(options: RequestOptions) {
    afterReady('net cannot be used');
    const { protocol, hostname, port, path, method, headers } = options;
    return requestByHttp({ protocol, hostname, port, path, method, headers });
  },
});

/** Electron's own updater, which hears of what another one does. */
class AutoUpdater extends StrictMock {
  constructor() {
    super('autoUpdater', ['before-quit-for-update']);
  }
}

export const autoUpdater = new AutoUpdater();

// This folder contains the files beside a packed app, when a test has some.
const resourcesPath = process.env['ELECTRON_MOCK_RESOURCES'];
if (resourcesPath !== undefined) Object.assign(process, { resourcesPath });
