import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { CDPSession, Page } from '@playwright/test';
import type { Control, FromPage, PageMessage, View } from '../transport/messages.ts';
import {
  exposureScript,
  type Packed,
  preloadScript,
  type ShimAnswer,
  type ShimLetter,
  type ShimNames,
} from './page-shim.ts';
import { watchPage } from './page-watch.ts';
import type { PortLetter } from '../transport/relay.ts';
import type { RpcChannel } from '../transport/rpc-channel.ts';

const WORLD = 'Electron Isolated Context';

/** A page of a real browser that is the window of a mocked app. */
export class AttachedPage {
  readonly page: Page;
  readonly #window: number;
  readonly #mock: RpcChannel<Control>;
  readonly #cdp: CDPSession;
  readonly #names: ShimNames;
  /** The preload's world in the document that is there now. */
  #context: number | null = null;

  private constructor(attached: {
    page: Page;
    window: number;
    mock: RpcChannel<Control>;
    cdp: CDPSession;
  }) {
    this.page = attached.page;
    this.#window = attached.window;
    this.#mock = attached.mock;
    this.#cdp = attached.cdp;
    // The ids cannot be guessed, neither in this run nor in another.
    const mark = randomUUID().replaceAll('-', '');
    this.#names = { binding: `send${mark}`, receive: `take${mark}`, expose: `expose${mark}` };
  }

  /** Loads a view into a page. */
  static async open(page: Page, view: View, mock: RpcChannel<Control>): Promise<AttachedPage> {
    const cdp = await page.context().newCDPSession(page);
    const attached = new AttachedPage({ page, window: view.window, mock, cdp });
    await attached.#install(view.preload);
    await watchPage({ page, cdp, window: view.window, mock });
    await page.goto(view.url);
    return attached;
  }

  toPage({ channel, args, ports }: PageMessage): void {
    this.#tell({ kind: 'message', channel, args, ports });
  }

  portMessage({ port, data }: PortLetter): void {
    this.#tell({ kind: 'port', port, data: packed(data) });
  }

  portClosed(port: string): void {
    this.#tell({ kind: 'closed', port });
  }

  /** The window is gone; the page stays the test's. */
  leave(): void {
    this.#leave();
    // A page that is being closed lets go by itself, and answers nothing.
    this.#cdp.detach().catch(() => null);
  }

  async #install(preload: string): Promise<void> {
    const cdp = this.#cdp;
    const { binding, expose } = this.#names;
    const { frameTree } = await cdp.send('Page.getFrameTree');
    cdp.on('Runtime.executionContextCreated', ({ context }) => {
      const isOnTop = Reflect.get(Object(context.auxData), 'frameId') === frameTree.frame.id;
      if (context.name === WORLD && isOnTop) this.#enter(context.id);
    });
    cdp.on('Runtime.executionContextsCleared', () => this.#leave());
    cdp.on('Runtime.executionContextDestroyed', ({ executionContextId }) => {
      if (executionContextId === this.#context) this.#leave();
    });
    cdp.on('Runtime.bindingCalled', ({ name, payload, executionContextId }) => {
      if (name === binding && executionContextId === this.#context) this.#take(JSON.parse(payload));
    });
    await cdp.send('Page.enable');
    await cdp.send('Runtime.enable');
    await cdp.send('Runtime.addBinding', { name: binding, executionContextName: WORLD });
    await cdp.send('Page.addScriptToEvaluateOnNewDocument', { source: exposureScript(expose) });
    if (preload === '') return;
    const boot = { ...this.#names, platform: process.platform };
    await cdp.send('Page.addScriptToEvaluateOnNewDocument', {
      source: preloadScript(await readFile(preload, 'utf8'), boot),
      worldName: WORLD,
    });
  }

  #enter(context: number): void {
    this.#leave();
    this.#context = context;
  }

  #leave(): void {
    if (this.#context === null) return;
    this.#context = null;
    this.#mock.tell('pageGone', { window: this.#window });
  }

  #take(letter: ShimLetter): void {
    switch (letter.kind) {
      case 'send':
        this.#mock.tell('fromPage', this.#from(letter, []));
        return;
      case 'post':
        this.#mock.tell('fromPage', this.#from(letter, letter.ports));
        return;
      case 'invoke':
        void this.#invoke(letter.id, this.#from(letter, []));
        return;
      case 'port':
        this.#mock.tell('portMessage', { port: letter.port, data: unpacked(letter.data) });
        return;
      case 'closed':
        this.#mock.tell('portClosed', letter.port);
    }
  }

  #from(
    { channel, args }: { readonly channel: string; readonly args: readonly unknown[] },
    ports: readonly string[],
  ): FromPage {
    return { window: this.#window, channel, args, ports, frame: null, outlives: false };
  }

  async #invoke(id: number, message: FromPage): Promise<void> {
    try {
      const answer = await this.#mock.ask('invoke', message);
      this.#tell({ kind: 'answer', id, answer });
    } catch (error) {
      this.#tell({ kind: 'fault', id, fault: error instanceof Error ? error.message : '' });
    }
  }

  #tell(letter: ShimAnswer): void {
    if (this.#context === null) return;
    const expression = `${this.#names.receive}(${JSON.stringify(letter)})`;
    // A page that is gone hears nothing.
    this.#cdp.send('Runtime.evaluate', { contextId: this.#context, expression }).catch(() => null);
  }
}

function packed(data: unknown): Packed {
  return data instanceof Uint8Array
    ? { bytes: Buffer.from(data).toString('base64') }
    : { value: data };
}

function unpacked(data: Packed): unknown {
  return 'bytes' in data ? new Uint8Array(Buffer.from(data.bytes, 'base64')) : data.value;
}
