import { EventEmitter } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import { _electron, type ElectronApplication, type Page, test } from '@playwright/test';
import { readLockOwner } from '../../../host/lock/instance-lock.ts';
import { type Answered, type TestRequest, read, send } from '../ui/requests.ts';
import { type Calls, type Harness, type HarnessOptions, navigationRail } from '../ui/harness.ts';
import { type PreparedHome, prepareHome } from './desktop-harness.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

interface Launched {
  readonly app: ElectronApplication;
  readonly page: Page;
  readonly port: number;
}

/** A Gatehouse as the desktop app starts it, in Electron itself. Its page is its own: none can be lent to it. */
export class ElectronHarness implements Harness {
  readonly page: Page;
  readonly dataDir: string;
  readonly localKey: string;
  readonly url: string;
  readonly #app: ElectronApplication;
  readonly home: string;
  /** Connections that are not referenced are closed by the garbage collector. */
  readonly #answers: Response[] = [];

  private constructor({ home, dataDir, localKey }: PreparedHome, { app, page, port }: Launched) {
    this.page = page;
    this.dataDir = dataDir;
    this.localKey = localKey;
    this.url = `http://127.0.0.1:${port}`;
    this.#app = app;
    this.home = home;
  }

  /** Starts the app in this Electron. `await using` ends it and removes its data folder. */
  static async open(
    executablePath: string,
    options: HarnessOptions = {},
  ): Promise<ElectronHarness> {
    const prepared = await prepareHome(options);
    return new ElectronHarness(prepared, await launch(executablePath, prepared));
  }

  get windowUrl(): string {
    return 'app://ui';
  }

  link(): Promise<string> {
    return Promise.reject(new Error('Nobody has to be let into the window of the app.'));
  }

  async calls(): Promise<Calls> {
    const port = await PagePort.open(this.page);
    return createORPCClient(new RPCLink({ port }));
  }

  async open(page: Page, path = '/'): Promise<void> {
    if (page !== this.page) throw new Error('The app shows its own page.');
    await page.goto(`${this.windowUrl}${path}`);
    await navigationRail(page).waitFor({ state: 'attached' });
  }

  async ask(ask?: TestRequest): Promise<Answered> {
    return await read(await this.begin(ask));
  }

  async begin(ask?: TestRequest): Promise<Response> {
    const answer = await send(this.url, this.localKey, ask);
    this.#answers.push(answer);
    return answer;
  }

  async stop(): Promise<void> {
    test.skip(true, 'The page of an app goes with it.');
    await this.#app.close();
  }

  async start(): Promise<void> {
    return Promise.reject(new Error('It was not stopped.'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Closing would wait for a person: the app goes on in the tray.
    await this.#app.evaluate(({ app }) => app.quit());
    await this.#app.close();
    await rm(this.home, { recursive: true });
  }
}

async function launch(
  executablePath: string,
  { home, dataDir, options }: PreparedHome,
): Promise<Launched> {
  const app = await _electron.launch({
    executablePath,
    args: [ROOT],
    env: {
      PATH: process.env['PATH'] ?? '',
      DISPLAY: process.env['DISPLAY'] ?? '',
      HOME: home,
      GATEHOUSE_DATA_DIR: dataDir,
      GATEHOUSE_PORT: options.ownPort === true ? '' : '0',
      ...stringsOf(options.environment ?? {}),
    },
  });
  const page = await app.firstWindow();
  // Before the engine runs, the window shows only that it starts.
  await navigationRail(page).waitFor({ state: 'attached' });
  const holder = await readLockOwner(dataDir);
  if (typeof holder?.port !== 'number') throw new Error('The engine has told nobody of its port.');
  return { app, page, port: holder.port };
}

function stringsOf(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, value ?? '']),
  );
}

let opened = 0;

/** A port to the engine that was opened in a page, and is used from here. */
class PagePort extends EventEmitter {
  readonly #page: Page;
  readonly #name = `gatehouseTest${(opened += 1)}`;

  private constructor(page: Page) {
    super();
    this.#page = page;
  }

  static async open(page: Page): Promise<PagePort> {
    const port = new PagePort(page);
    await page.exposeFunction(`${port.#name}Hear`, (data: string) =>
      port.emit('message', { data }),
    );
    await page.evaluate((name) => {
      const { port1, port2 } = new MessageChannel();
      const hear: (data: unknown) => void = Reflect.get(globalThis, `${name}Hear`);
      port1.addEventListener('message', ({ data }) => hear(data));
      port1.start();
      Object.assign(globalThis, { [name]: port1 });
      window.postMessage('gatehouse:engine', location.origin, [port2]);
    }, port.#name);
    return port;
  }

  postMessage(data: unknown): void {
    const message = [this.#name, String(data)] as const;
    void this.#page.evaluate(([name, text]) => {
      const port: MessagePort = Reflect.get(globalThis, name);
      port.postMessage(text);
    }, message);
  }
}
