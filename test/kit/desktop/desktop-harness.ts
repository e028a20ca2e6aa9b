import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import type { ContractRouterClient } from '@orpc/contract';
import type { Page } from '@playwright/test';
import type { DesktopContract } from '../../../shared/desktop/desktop-contract.ts';
import { type Answered, type TestRequest, read, send } from '../ui/requests.ts';
import { seedDataFolder } from '../ui/seed/data-folder.ts';
import {
  type Calls,
  type Harness,
  type HarnessOptions,
  navigationRail,
  withPrograms,
} from '../ui/harness.ts';
import { DesktopApp } from './kit.ts';

/** A Gatehouse as the desktop app starts it, in the mock of Electron. */
export class DesktopHarness implements Harness {
  readonly dataDir: string;
  readonly localKey: string;
  readonly home: string;
  readonly #options: HarnessOptions;
  /** Connections that are not referenced are closed by the garbage collector. */
  readonly #answers: Response[] = [];
  #app: DesktopApp;
  #port: number;
  #page: Page | null = null;

  private constructor(prepared: PreparedHome, app: DesktopApp, port: number) {
    this.home = prepared.home;
    this.dataDir = prepared.dataDir;
    this.localKey = prepared.localKey;
    this.#options = prepared.options;
    this.#app = app;
    this.#port = port;
  }

  /** Starts the app. `await using` ends it and removes its data folder. */
  static async open(options: HarnessOptions = {}): Promise<DesktopHarness> {
    if ((options.args ?? []).length > 0) throw new Error('The desktop app takes no arguments.');
    const prepared = await prepareHome(options);
    const app = await startApp(prepared, options.ownPort === true ? '' : '0');
    try {
      return new DesktopHarness(prepared, app, await runningPort(app));
    } catch (error) {
      await app[Symbol.asyncDispose]();
      throw error;
    }
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get windowUrl(): string {
    if (this.#page === null) throw new Error('The window is nowhere before it is opened.');
    return new URL(this.#page.url()).origin;
  }

  link(): Promise<string> {
    return Promise.reject(new Error('Nobody has to be let into the window of the app.'));
  }

  async calls(): Promise<Calls> {
    const port = await this.#app.connect('gatehouse:engine');
    return createORPCClient(new RPCLink({ port }));
  }

  async open(page: Page, path = '/'): Promise<void> {
    if (this.#page === null) await this.#app.attachPage(page, path);
    else if (this.#page === page) await page.goto(`${this.windowUrl}${path}`);
    else throw new Error('The app has one window.');
    this.#page = page;
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

  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    if (signal === 'SIGKILL') this.#app.kill();
    else this.#app.quit();
    await this.#app.end();
    this.#page = null;
  }

  async start(): Promise<void> {
    const { home, dataDir } = this;
    const port = this.#options.ownPort === true ? '' : String(this.#port);
    await this.#app[Symbol.asyncDispose]();
    this.#app = await startApp({ home, dataDir, options: this.#options }, port);
    this.#port = await runningPort(this.#app);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#app[Symbol.asyncDispose]();
    await rm(this.home, { recursive: true });
  }
}

/** A home with a data folder as an earlier run has left it. */
export interface PreparedHome {
  readonly home: string;
  readonly dataDir: string;
  readonly localKey: string;
  readonly options: HarnessOptions;
}

/** Creates a harness with a first client whose key is known. */
export async function prepareHome(options: HarnessOptions): Promise<PreparedHome> {
  const home = await mkdtemp(join(tmpdir(), 'gatehouse-harness-'));
  const dataDir = join(home, 'data');
  const { setUp = true, seed } = options;
  let localKey = '';
  await seedDataFolder(dataDir, {
    settings: { setUp, ...seed?.settings },
    more: async (repositories) => {
      await seed?.more?.(repositories);
      localKey = (await repositories.clients.addFirst())?.key ?? '';
    },
  });
  return { home, dataDir, localKey, options: await withPrograms(options, home) };
}

async function startApp(
  { home, dataDir, options }: Pick<PreparedHome, 'home' | 'dataDir' | 'options'>,
  port: string,
): Promise<DesktopApp> {
  const environment = { HOME: home, GATEHOUSE_PORT: port, ...options.environment };
  return await DesktopApp.start({ dataDir, environment });
}

/** The engine's port, as soon as it runs. */
async function runningPort(app: DesktopApp): Promise<number> {
  const port = await app.connect('gatehouse:desktop');
  const calls: ContractRouterClient<DesktopContract> = createORPCClient(new RPCLink({ port }));
  for await (const { engine } of await calls.state()) {
    if (engine.name === 'running') return engine.port;
    if (engine.name === 'refused') throw new Error(engine.sentence);
  }
  throw new Error(`The app reported nothing about its engine: ${app.snapshot.printed}`);
}
