import type { Page } from '@playwright/test';
import { LentPage } from './lent-page.ts';
import type { Control, Stage, View } from './letters.ts';
import type { Wire } from './wire.ts';

interface Lending {
  readonly page: Page;
  readonly loaded: PromiseWithResolvers<void>;
}

/** The pages that a test lends to the windows of an app. */
export class LentPages {
  readonly #double: () => Wire<Control>;
  readonly #lent: Lending[] = [];
  readonly #waiting: PromiseWithResolvers<Lending>[] = [];
  readonly #open = new Map<number, Promise<LentPage>>();

  constructor(double: () => Wire<Control>) {
    this.#double = double;
  }

  /** Lends a page to the window that waits for one, or to the next that does. Resolves when it has loaded. */
  async lend(page: Page): Promise<void> {
    const loaded = Promise.withResolvers<void>();
    const lending = { page, loaded };
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#lent.push(lending);
    else waiting.resolve(lending);
    await loaded.promise;
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
      await (await open)?.leave();
    },
    toPage: async (message) => (await this.#open.get(message.window))?.toPage(message),
    portMessage: async (letter) => {
      for (const open of this.#open.values()) (await open).portMessage(letter);
    },
    portClosed: async (port) => {
      for (const open of this.#open.values()) (await open).portClosed(port);
    },
  } satisfies Partial<Stage>;

  async #load(view: View): Promise<LentPage> {
    const there = await this.#open.get(view.window);
    await there?.leave();
    if (there !== undefined) return await LentPage.open(there.page, view, this.#double());
    const { page, loaded } = await this.#nextPage();
    const opening = LentPage.open(page, view, this.#double());
    opening.then(() => loaded.resolve(), loaded.reject);
    return await opening;
  }

  async #nextPage(): Promise<Lending> {
    const lent = this.#lent.shift();
    if (lent !== undefined) return lent;
    const waiting = Promise.withResolvers<Lending>();
    this.#waiting.push(waiting);
    return await waiting.promise;
  }
}
