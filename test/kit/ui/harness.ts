import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/fetch';
import type { ContractRouterClient } from '@orpc/contract';
import type { BrowserContext, Locator, Page } from '@playwright/test';
import type { Contract } from '../../../shared/contract.ts';
import { installPrograms } from '../gateway/user-home.ts';
import { openTestMachine, type RunningServer, type TestMachine } from '../process/test-machine.ts';
import { type Answered, type TestRequest, read, send } from './requests.ts';
import { type SeedOptions, seedDataFolder } from './seed/data-folder.ts';
import { signIn, type WindowSession, applySession } from './window-session.ts';

/** The calls of the contract, as the window makes them. */
export type Calls = ContractRouterClient<Contract>;

export interface HarnessOptions {
  /** More arguments of `gatehouse serve`; `--port 0` and `--ui-port 0` unless they say otherwise. */
  readonly args?: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  /** The port is that of the settings in the data folder, so that it may be changed. */
  readonly ownPort?: boolean;
  /** Whether the first steps are done already; they are unless said otherwise. */
  readonly setUp?: boolean;
  /** Commands of the only programs on the machine; those of this machine when absent. */
  readonly programs?: readonly string[];
  /** Fills the data folder before the start. */
  readonly seed?: SeedOptions;
}

/** A Gatehouse with its window, the sandbox behind it, and a data folder and a home of its own. */
export interface Harness extends AsyncDisposable {
  /** The address of the window, such as `http://127.0.0.1:PORT`. */
  readonly windowUrl: string;
  /** The local key of the first client; empty when the data folder has clients already. */
  readonly localKey: string;
  /** The address for clients: `http://127.0.0.1:PORT`, without `/v1`. */
  readonly url: string;
  readonly dataDir: string;
  /** The home folder of the person. */
  readonly home: string;
  /** A link into the window that nobody has used: the printed one, then new ones by `gatehouse open`. Of a browser's harness only. */
  link(): Promise<string>;
  /** The window's calls, to arrange or look at something behind a page. */
  calls(): Promise<Calls>;
  /** Shows a page a screen; the first page of a context is let in before. */
  open(page: Page, path?: string): Promise<void>;
  /** Sends a request as a client and reads the response to its end. */
  ask(ask?: TestRequest): Promise<Answered>;
  /** Sends a request and returns after the response head. The test reads the rest. */
  begin(ask?: TestRequest): Promise<Response>;
  /** Ends everything: by SIGTERM in order, by SIGKILL as a crash does. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Starts again after a stop: on the same data folder and the same ports. */
  start(): Promise<void>;
}

/** A Gatehouse in a process of its own, as the command starts it, with its window in a browser. */
export class BrowserHarness implements Harness {
  readonly #terminal: TestMachine;
  readonly #options: HarnessOptions;
  /** Connections that are not referenced are closed by the garbage collector. */
  readonly #responses: Response[] = [];
  #serving: RunningServer;
  #knownSession: WindowSession | null = null;
  #link: string;
  readonly windowUrl: string;
  readonly localKey: string;

  private constructor(terminal: TestMachine, options: HarnessOptions, serving: RunningServer) {
    this.#terminal = terminal;
    this.#options = options;
    this.#serving = serving;
    this.#link = findLink(serving.banner);
    this.windowUrl = new URL(this.#link).origin;
    this.localKey = serving.localKey;
  }

  /** Starts Gatehouse. `await using` ends it and removes its data folder. */
  static async open(given: HarnessOptions = {}): Promise<BrowserHarness> {
    const terminal = await openTestMachine();
    try {
      const options = await withPrograms(given, terminal.home);
      const { setUp = true, seed } = options;
      const settings = { setUp, ...seed?.settings };
      await seedDataFolder(terminal.dataDir, { ...seed, settings });
      const args = ['--ui-port', '0', ...(options.args ?? [])];
      return new BrowserHarness(terminal, options, await terminal.serve(args, options));
    } catch (error) {
      await terminal[Symbol.asyncDispose]();
      throw error;
    }
  }

  get url(): string {
    return `http://127.0.0.1:${this.#serving.port}`;
  }

  get dataDir(): string {
    return this.#terminal.dataDir;
  }

  get home(): string {
    return this.#terminal.home;
  }

  async link(): Promise<string> {
    const printed = this.#link;
    this.#link = '';
    if (printed !== '') return printed;
    const { stdout } = await this.#terminal.run(['open', '--print']);
    return findLink(stdout);
  }

  async calls(): Promise<Calls> {
    const { headers } = await this.#session();
    return createORPCClient(new RPCLink({ url: `${this.windowUrl}/rpc`, headers: { ...headers } }));
  }

  async open(page: Page, path = '/'): Promise<void> {
    const context = page.context();
    // By a link of its own, a page would be loaded twice: the tests of the entrance do that.
    if (!(await isSignedIn(context, this.windowUrl)))
      await applySession(await this.#session(), context);
    await page.goto(`${this.windowUrl}${path}`);
    await navigationRail(page).waitFor({ state: 'attached' });
  }

  async ask(ask?: TestRequest): Promise<Answered> {
    return await read(await this.begin(ask));
  }

  async begin(ask?: TestRequest): Promise<Response> {
    const answer = await send(this.url, this.localKey, ask);
    this.#responses.push(answer);
    return answer;
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    await this.#serving.stop(signal);
  }

  async start(): Promise<void> {
    const { ownPort = false, args: more = [] } = this.#options;
    const port = ownPort ? [] : ['--port', String(this.#serving.port)];
    const args = ['--ui-port', new URL(this.windowUrl).port, ...port, ...more];
    this.#serving = await this.#terminal.serve(args, this.#options);
    this.#link = findLink(this.#serving.banner);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#serving[Symbol.asyncDispose]();
    await this.#terminal[Symbol.asyncDispose]();
  }

  async #session(): Promise<WindowSession> {
    return (this.#knownSession ??= await signIn(await this.link()));
  }
}

/** Installs the programs of a harness in its home, and adds them to its environment. */
export async function withPrograms(options: HarnessOptions, home: string): Promise<HarnessOptions> {
  const { programs, environment } = options;
  if (programs === undefined) return options;
  const PATH = await installPrograms(home, programs);
  return { ...options, environment: { PATH, ...environment } };
}

function findLink(text: string): string {
  const link = /http:\/\/127\.0\.0\.1:\d+\/#[\w-]+/u.exec(text)?.[0];
  if (link === undefined) throw new Error(`No link into the window in: ${text}`);
  return link;
}

async function isSignedIn(context: BrowserContext, url: string): Promise<boolean> {
  return (await context.cookies(url)).length > 0;
}

/** The way between the screens, on a narrow page out of sight; who is not let in has none. */
export function navigationRail(page: Page): Locator {
  return page.getByRole('navigation', { name: 'Screens', includeHidden: true });
}
