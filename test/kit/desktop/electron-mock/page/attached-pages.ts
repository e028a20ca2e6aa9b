import type { Page } from '@playwright/test';
import { AttachedPage } from './attached-page.ts';
import type { Control, Stage, View } from '../transport/messages.ts';
import { PipeEnd } from '../transport/pipe.ts';
import { MessagePortMain } from '../transport/ports.ts';
import { Relay } from '../transport/relay.ts';
import type { RpcChannel } from '../transport/rpc-channel.ts';

interface Lending {
  readonly page: Page;
  /** The address that it navigates to at once after the app has loaded another. */
  readonly path: string;
  readonly loaded: PromiseWithResolvers<void>;
}

/** The pages that a test lends to the windows of an app. */
export class AttachedPages {
  readonly #mock: () => RpcChannel<Control>;
  readonly #attached: Lending[] = [];
  readonly #waiting: PromiseWithResolvers<Lending>[] = [];
  readonly #relay = new Relay('t', {
    portMessage: (letter) => this.#mock().tell('portMessage', letter),
    portClosed: (port) => this.#mock().tell('portClosed', port),
  });
  readonly #open = new Map<number, Promise<AttachedPage>>();

  constructor(mock: () => RpcChannel<Control>) {
    this.#mock = mock;
  }

  /** Lends a page to the window that waits for one, or to the next that does. Resolves when it has loaded. */
  async attach(page: Page, path: string): Promise<void> {
    const loaded = Promise.withResolvers<void>();
    const lending = { page, path, loaded };
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#attached.push(lending);
    else waiting.resolve(lending);
    await loaded.promise;
  }

  /** A port as if the page of a window had sent its other end, but it outlives the page. */
  connect(window: number, channel: string): MessagePortMain {
    const [here, there] = PipeEnd.pair();
    const ports = [this.#relay.depart(there)];
    const message = { window, channel, args: [null], ports, frame: null, outlives: true };
    this.#mock().tell('fromPage', message);
    const port = new MessagePortMain(here);
    port.start();
    return port;
  }

  /** The app has ended: its pages are the test's again. */
  leave(): void {
    this.#relay.closeAll();
    for (const open of this.#open.values()) {
      open.then(
        (attached) => attached.leave(),
        // It never belonged to the app.
        () => undefined,
      );
    }
    this.#open.clear();
  }

  readonly stage = {
    load: async (view) => {
      const opening = this.#load(view);
      this.#open.set(view.window, opening);
      await opening;
    },
    reload: async ({ window }) => {
      await (await this.#open.get(window))?.page.reload();
    },
    unload: async ({ window }) => {
      const open = this.#open.get(window);
      this.#open.delete(window);
      (await open)?.leave();
    },
    toPage: async (message) => (await this.#open.get(message.window))?.toPage(message),
    portMessage: async (letter) => {
      this.#relay.portMessage(letter);
      for (const open of this.#open.values()) (await open).portMessage(letter);
    },
    portClosed: async (port) => {
      this.#relay.portClosed(port);
      for (const open of this.#open.values()) (await open).portClosed(port);
    },
  } satisfies Partial<Stage>;

  async #load(view: View): Promise<AttachedPage> {
    const there = await this.#open.get(view.window);
    there?.leave();
    if (there !== undefined) return await AttachedPage.open(there.page, view, this.#mock());
    const { page, path, loaded } = await this.#nextPage();
    const url = new URL(path, view.url).href;
    const opening = AttachedPage.open(page, { ...view, url }, this.#mock());
    opening.then(() => loaded.resolve(), loaded.reject);
    return await opening;
  }

  async #nextPage(): Promise<Lending> {
    const attached = this.#attached.shift();
    if (attached !== undefined) return attached;
    const waiting = Promise.withResolvers<Lending>();
    this.#waiting.push(waiting);
    return await waiting.promise;
  }
}
