import type { Page } from '@playwright/test';
import type { DesktopState } from '../../../shared/desktop/desktop-contract.ts';

/** A state that is reached without trouble. */
const CALM: DesktopState = {
  engine: { name: 'starting' },
  startAtLogin: { on: false, settable: true, sentence: null },
  updates: { name: 'idle', checkedAt: null },
  quickChat: { shortcut: null, sentence: null, command: null },
  notices: null,
};

/** The app as a test plays it to a page, for states that take too long to bring about. The engine stays the real one. */
export interface ScriptedApp {
  tell(part: Partial<DesktopState>): Promise<void>;
  /** The next call: its path and its input. */
  asked(): Promise<readonly [path: string, input: unknown]>;
}

/** Has to be called before the page is used. */
export async function scriptApp(page: Page): Promise<ScriptedApp> {
  let state = CALM;
  const calls: (readonly [string, unknown])[] = [];
  const waiting: ((call: readonly [string, unknown]) => void)[] = [];
  await page.exposeFunction('scriptedAsked', (path: string, input: unknown) => {
    const next = waiting.shift();
    if (next === undefined) calls.push([path, input]);
    else next([path, input]);
  });
  await page.addInitScript(answerForApp, state);
  return {
    async tell(part) {
      state = { ...state, ...part };
      await page.evaluate(
        (detail) => window.dispatchEvent(new CustomEvent('scripted-state', { detail })),
        state,
      );
    },
    asked: () => {
      const call = calls.shift();
      return call === undefined
        ? new Promise((resolve) => waiting.push(resolve))
        : Promise.resolve(call);
    },
  };
}

/** Runs in the page: takes its port to the app before the preload does, and answers as the app's server does. */
function answerForApp(first: DesktopState): void {
  let state: unknown = first;
  window.addEventListener('message', (event) => {
    const [port] = event.ports;
    if (event.data !== 'gatehouse:desktop' || port === undefined) return;
    event.stopImmediatePropagation();
    port.addEventListener('message', ({ data }) => {
      const { i, t, p } = JSON.parse(data);
      // A call and nothing that follows one.
      if (t !== undefined) return;
      if (p.u !== '/state') {
        Reflect.get(window, 'scriptedAsked')(p.u, p.b?.json);
        port.postMessage(JSON.stringify({ i, p: { b: {} } }));
        return;
      }
      const tell = (): void =>
        port.postMessage(JSON.stringify({ i, t: 3, p: { e: 'message', d: { json: state } } }));
      port.postMessage(JSON.stringify({ i, p: { h: { 'content-type': 'text/event-stream' } } }));
      tell();
      window.addEventListener('scripted-state', (turned) => {
        state = Reflect.get(turned, 'detail');
        tell();
      });
    });
    port.start();
  });
}
