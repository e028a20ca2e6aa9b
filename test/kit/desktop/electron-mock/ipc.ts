import { StrictMock } from './strict-mock.ts';

type Handler = (event: object, ...args: readonly unknown[]) => unknown;

class IpcMain extends StrictMock {
  readonly #handlers = new Map<string, Handler>();

  constructor() {
    super('ipcMain', null);
  }

  handle(channel: string, handler: Handler): void {
    if (this.#handlers.has(channel)) {
      throw new Error(`Attempted to register a second handler for '${channel}'`);
    }
    this.#handlers.set(channel, handler);
  }

  removeHandler(channel: string): void {
    this.#handlers.delete(channel);
  }

  /** Answers a page that calls `ipcRenderer.invoke`. */
  async answer(channel: string, event: object, args: readonly unknown[]): Promise<unknown> {
    const handler = this.#handlers.get(channel);
    if (handler === undefined) throw new Error(`No handler registered for '${channel}'`);
    return await handler(event, ...args);
  }
}

export const ipcMain = new IpcMain();
