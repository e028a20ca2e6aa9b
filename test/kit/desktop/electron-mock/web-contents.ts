import type { WebContents as ElectronWebContents, WebFrameMain } from 'electron';
import { app, MockEvent } from './app.ts';
import { StrictMock, strictly } from './strict-mock.ts';
import { ipcMain } from './ipc.ts';
import type { Control, ForgedFrame, FromPage, Going } from './transport/messages.ts';
import { appUrl } from './page/page-server.ts';
import { MessagePortMain } from './transport/ports.ts';
import { Relay, type RelayCalls } from './transport/relay.ts';
import { answers, note, stage } from './test-side.ts';

const EVENTS = [
  'before-input-event',
  'console-message',
  'context-menu',
  'destroyed',
  'did-fail-load',
  'did-finish-load',
  'dom-ready',
  'did-navigate',
  'preload-error',
  'render-process-gone',
  'responsive',
  'unresponsive',
  'will-attach-webview',
  'will-frame-navigate',
  'will-navigate',
  'will-redirect',
];

type OpenHandler = (details: { readonly url: string }) => { readonly action: 'allow' | 'deny' };

/** The part of Electron's frames that a check of a sender needs. */
export interface Frame extends Pick<WebFrameMain, 'origin' | 'url'> {
  readonly parent: Frame | null;
  readonly top: Frame | null;
}

const TO_TEST: RelayCalls = {
  portMessage: (letter) => stage.tell('portMessage', letter),
  portClosed: (port) => stage.tell('portClosed', port),
};
/** The ports between the test itself and the main process. */
const testRelay = new Relay('d', TO_TEST);

const contents = new Map<number, WebContents>();

/** The page of a window. It really is in the browser of the test. */
export class WebContents
  extends StrictMock
  implements
    Pick<
      ElectronWebContents,
      'getURL' | 'id' | 'isDestroyed' | 'isDevToolsOpened' | 'openDevTools' | 'reload' | 'send'
    >
{
  readonly id: number;
  readonly mainFrame: Frame;
  /** The ports between this page and the main process. */
  readonly relay: Relay;
  #url = '';
  #openHandler: OpenHandler = () => ({ action: 'allow' });
  #destroyed = false;

  constructor(id: number) {
    super('webContents', EVENTS);
    this.id = id;
    this.mainFrame = frameOf(() => this.#url);
    this.relay = new Relay(`w${id}-`, TO_TEST);
    contents.set(id, this);
  }

  getURL(): string {
    return this.#url;
  }

  isDestroyed(): boolean {
    return this.#destroyed;
  }

  setWindowOpenHandler(handler: OpenHandler): void {
    this.#openHandler = handler;
  }

  send(channel: string, ...args: readonly unknown[]): void {
    stage.tell('toPage', { window: this.id, channel, args, ports: [] });
  }

  postMessage(channel: string, message: unknown, transfer: readonly unknown[] = []): void {
    const ports = transfer.map((port) => this.relay.depart(MessagePortMain.disentangle(port)));
    stage.tell('toPage', { window: this.id, channel, args: [message], ports });
  }

  reload(): void {
    void stage.ask('reload', { window: this.id });
  }

  openDevTools(): void {
    note('webContents.openDevTools');
  }

  isDevToolsOpened(): boolean {
    return false;
  }

  /** The page is at an address now. */
  arrive(url: string): void {
    this.#url = url;
  }

  mayNavigate({ url, isMainFrame }: Going): boolean {
    const event = Object.assign(new MockEvent(), {
      url: appUrl(url),
      isMainFrame,
      isSameDocument: false,
      frame: isMainFrame ? this.mainFrame : null,
    });
    this.emit('will-frame-navigate', event);
    if (isMainFrame && !event.defaultPrevented) this.emit('will-navigate', event, event.url);
    return !event.defaultPrevented;
  }

  mayOpen(url: string): boolean {
    return this.#openHandler({ url }).action === 'allow';
  }

  destroy(): void {
    this.#destroyed = true;
    contents.delete(this.id);
    this.relay.closeAll();
    this.emit('destroyed');
  }
}

function frameOf(url: () => string, parent: Frame | null = null): Frame {
  const frame: Frame = strictly('WebFrameMain', {
    get url() {
      return url();
    },
    get origin() {
      return originOf(url());
    },
    parent,
    get top() {
      return parent === null ? frame : parent.top;
    },
  });
  return frame;
}

/** Returns the origin of a standard scheme like Chromium; Node knows no origin for custom schemes. */
export function originOf(url: string): string {
  if (url === '') return '';
  const { protocol, host } = new URL(url);
  return host === '' ? 'null' : `${protocol}//${host}`;
}

/** The event of a message from a page, as `ipcMain` tells it. */
function eventOf({ window, frame, ports, outlives }: FromPage): object {
  const sender = theContents({ window });
  return {
    sender,
    senderFrame: frame === null ? sender.mainFrame : forged(frame, sender),
    ports: ports.map(
      (port) => new MessagePortMain((outlives ? testRelay : sender.relay).arrive(port)),
    ),
    processId: 1,
    frameId: 1,
  };
}

function forged({ url, isMainFrame }: ForgedFrame, sender: WebContents): Frame {
  return frameOf(() => url, isMainFrame ? null : sender.mainFrame);
}

/** The contents of a window; `null` when it is gone. */
export function contentsOf(window: number): WebContents | null {
  return contents.get(window) ?? null;
}

function relays(): readonly Relay[] {
  return [testRelay, ...[...contents.values()].map(({ relay }) => relay)];
}

function theContents({ window }: { readonly window: number }): WebContents {
  const found = contents.get(window);
  if (found === undefined) throw new Error(`There is no window ${window}.`);
  return found;
}

Object.assign(answers, {
  fromPage: (message) => void ipcMain.emit(message.channel, eventOf(message), ...message.args),
  invoke: (message) => ipcMain.answer(message.channel, eventOf(message), message.args),
  portMessage: (letter) => {
    for (const relay of relays()) relay.portMessage(letter);
  },
  portClosed: (port) => {
    for (const relay of relays()) relay.portClosed(port);
  },
  pageGone: ({ window }) => contents.get(window)?.relay.closeAll(),
  pageAt: (going) => contents.get(going.window)?.arrive(appUrl(going.url)),
  pageCrashed: (view) => {
    const gone = { reason: 'crashed', exitCode: 11 };
    theContents(view).relay.closeAll();
    app.emit('render-process-gone', {}, theContents(view), gone);
    theContents(view).emit('render-process-gone', {}, gone);
  },
  mayNavigate: (going) => theContents(going).mayNavigate(going),
  mayOpen: (going) => theContents(going).mayOpen(appUrl(going.url)),
} satisfies Partial<Control>);

/** Creates the contents of a window and notifies the app of them. */
export function openContents(id: number): WebContents {
  const made = new WebContents(id);
  app.emit('web-contents-created', {}, made);
  return made;
}
