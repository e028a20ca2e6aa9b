import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { AttachedPages } from './electron-mock/page/attached-pages.ts';
import type {
  CallSeen,
  Control,
  DisplaySeen,
  MenuLine,
  NotificationSeen,
  Stage,
  UtilityFault,
  UtilitySeen,
} from './electron-mock/transport/messages.ts';
import type { MessagePortMain } from './electron-mock/transport/ports.ts';
import { type OpenDialog, Seen } from './electron-mock/seen.ts';
import { RpcChannel } from './electron-mock/transport/rpc-channel.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const MAIN = join(ROOT, 'out', 'desktop', 'main.js');
const REGISTER = join(import.meta.dirname, 'electron-mock', 'register.ts');
/** All processes share what one of them has compiled. */
const COMPILED = join(ROOT, 'out', 'compiled');

export interface DesktopOptions {
  /** Its data folder; one of its own unless given. */
  readonly dataDir?: string;
  readonly environment?: NodeJS.ProcessEnv;
  readonly args?: readonly string[];
  /** Another main module than the built one. */
  readonly main?: string;
}

/** The desktop app in a mock of Electron: what a person and the system see of it, and do to it. */
export class DesktopApp implements AsyncDisposable {
  readonly dataDir: string;
  readonly snapshot = new Seen();
  /** The messages of the app to the program that started it. */
  readonly reported: string[] = [];
  readonly #child: ChildProcess;
  readonly #home: string;
  readonly #pages = new AttachedPages(() => this.#mock);
  readonly #mock: RpcChannel<Control>;
  readonly #mainEnded: Promise<number | null>;
  readonly #ended: Promise<void>;

  private constructor(child: ChildProcess, home: string, dataDir: string) {
    this.dataDir = dataDir;
    this.#child = child;
    this.#home = home;
    this.#mock = new RpcChannel<Control>(child, {
      ...this.snapshot.stage,
      ...this.#pages.stage,
    } satisfies Stage);
    child.on('message', (value) => {
      if (typeof value === 'string') this.reported.push(value);
    });
    this.#mainEnded = once(child, 'exit').then(() => child.exitCode);
    this.#ended = this.#end();
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => this.snapshot.print(text));
    }
  }

  /** Starts the app. `await using` ends it, in whatever state it is, and removes its home. */
  static async start(options: DesktopOptions = {}): Promise<DesktopApp> {
    const home = await mkdtemp(join(tmpdir(), 'gatehouse-desktop-'));
    const dataDir = options.dataDir ?? join(home, 'data');
    const child = fork(options.main ?? MAIN, [...(options.args ?? [])], {
      execArgv: ['--disable-warning=ExperimentalWarning', '--import', REGISTER],
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        GATEHOUSE_DATA_DIR: dataDir,
        GATEHOUSE_PORT: '0',
        NODE_COMPILE_CACHE: COMPILED,
        ...options.environment,
      },
    });
    return new DesktopApp(child, home, dataDir);
  }

  /** Lends a page to the window that waits for one, or to the next that does. Resolves when it has loaded, at another of the app's paths if one is given. */
  async attachPage(page: Page, path = ''): Promise<void> {
    await Promise.race([this.#pages.attach(page, path), this.snapshot.until(() => null)]);
  }

  /** The process id of its main process. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** A port as if the page of the window had sent its other end to the main process. */
  async connect(channel: string): Promise<MessagePortMain> {
    const window = await this.snapshot.until(({ windows }) => windows.keys().next().value);
    return this.#pages.connect(window, channel);
  }

  /** The tray's menu, as soon as one of its items has such a label. */
  async menuWith(label: string | RegExp): Promise<readonly MenuLine[]> {
    return await this.snapshot.until(({ tray }) =>
      tray?.menu.some((line) => isLike(line.label, label)) === true ? tray.menu : null,
    );
  }

  /** Chooses an item of the tray's menu; several labels lead into menus within it. */
  async pick(...labels: readonly string[]): Promise<void> {
    await this.#mock.ask('pick', labels);
  }

  /** Chooses an item of the app's own menu, which is seen on macOS. */
  async pickOfApp(...labels: readonly string[]): Promise<void> {
    await this.#mock.ask('pickOfApp', labels);
  }

  /** The next call of this name that was not looked at yet. */
  async called(name: string): Promise<CallSeen> {
    return await this.snapshot.until(({ newCalls }) => {
      const index = newCalls.findIndex((call) => call.name === name);
      return index === -1 ? null : newCalls.splice(index, 1)[0];
    });
  }

  /** The next dialog. It is open until it is answered. */
  async dialog(): Promise<OpenDialog> {
    return await this.snapshot.until(({ dialogs }) => dialogs.shift());
  }

  /** The next notification. */
  async notification(): Promise<NotificationSeen> {
    return await this.snapshot.until(({ notifications }) => notifications.shift());
  }

  /** Does to a notification what a person or the system does. Says whether the app has heard of it. */
  async onNotification(
    { id }: NotificationSeen,
    name: 'click' | 'close' | 'failed',
    reason?: 'timedOut',
  ): Promise<boolean> {
    const event = { id, name };
    return await this.#mock.ask(
      'notification',
      reason === undefined ? event : { ...event, reason },
    );
  }

  /** Frees what nobody in the app holds. */
  async collectGarbage(): Promise<void> {
    await this.#mock.ask('collectGarbage', null);
  }

  /** A utility process of this name, the latest; another one than `before`. */
  async utility(serviceName: string, before?: UtilitySeen): Promise<UtilitySeen> {
    return await this.snapshot.until(({ utilities }) => {
      const latest = utilities.findLast((utility) => utility.serviceName === serviceName);
      return latest?.pid === before?.pid ? null : latest;
    });
  }

  /** An event of the system's power. Says whether the app asked to wait with it. */
  async power(name: 'suspend' | 'resume' | 'shutdown' | 'lock-screen'): Promise<boolean> {
    return await this.#mock.ask('power', { name });
  }

  /** Sets what the system says of proxies from now on: `DIRECT`, `PROXY host:port` … */
  async proxyIs(answer: string): Promise<void> {
    await this.#mock.ask('proxyIs', answer);
  }

  /** The system's theme, from now on. Windows has one of its own for its panels. */
  async themeIs(theme: 'dark' | 'light', ofPanels = theme): Promise<void> {
    await this.#mock.ask('themeIs', {
      dark: theme === 'dark',
      darkPanels: ofPanels === 'dark',
    });
  }

  /** Whether the app lets a page do something: as it is asked for, and as it is checked. */
  async permitted(permission: string, url: string) {
    return await this.#mock.ask('permitted', { window: this.#window(), permission, url });
  }

  /** Opens the tray's menu, or closes it: a person reads it meanwhile. */
  async trayMenu(event: 'menu-will-show' | 'menu-will-close'): Promise<void> {
    await this.#mock.ask('menu', event);
  }

  /** Sets the switch that Task Manager shows for the app. */
  async switchLoginItem(on: boolean): Promise<void> {
    await this.#mock.ask('switchLoginItem', { on });
  }

  async clickTray(): Promise<void> {
    await this.#mock.ask('clickTray', null);
  }

  /** Presses keys anywhere in the system. Says whether the app has them. */
  async pressKeys(accelerator: string): Promise<boolean> {
    return await this.#mock.ask('pressKeys', accelerator);
  }

  /** Puts a window in front of the others, as a person does. */
  async focusWindow(window: number): Promise<void> {
    await this.#mock.ask('focusWindow', { window });
  }

  /** A person makes a window fill the screen, or lets it; what the app has begun of that ends in the same way. */
  async fullScreen(window: number, on: boolean): Promise<void> {
    await this.#mock.ask('fullScreen', { window, on });
  }

  /** Ends the process of a window's page, as a crash does. */
  async crashPage(window: number): Promise<void> {
    await this.#mock.ask('pageCrashed', { window });
  }

  /** The displays from now on, the main one first. */
  async displaysAre(displays: readonly DisplaySeen[]): Promise<void> {
    await this.#mock.ask('displaysAre', displays);
  }

  /** Something in the main process goes wrong that nobody catches. */
  async fault(how: 'thrown' | 'rejected', message: string): Promise<void> {
    await this.#mock.ask('fault', { how, message });
  }

  /** Something in a utility process goes wrong. */
  async utilityFault(fault: UtilityFault): Promise<void> {
    await this.#mock.ask('utilityFault', fault);
  }

  /** Closes a window as a person does, the first unless told otherwise. */
  async closeWindow(window = this.#window()): Promise<void> {
    await this.#mock.ask('closeWindow', { window });
  }

  /** Sends a message as if a frame of the window had, with a port. */
  async forge(message: { channel: string; url: string; isMainFrame: boolean }): Promise<void> {
    const { channel, url, isMainFrame } = message;
    const forged = {
      window: this.#window(),
      channel,
      args: [null],
      ports: ['forged'],
      outlives: false,
    };
    await this.#mock.ask('fromPage', { ...forged, frame: { url, isMainFrame } });
  }

  /** Asks the app to quit, as the system does, without waiting for its end. */
  quit(): void {
    this.#mock.tell('quit', null);
  }

  /** Sends a signal to the app's main process, as a terminal, a service manager or `kill` does. */
  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Sends a message over the channel to the program that started the app. */
  message(text: string): void {
    // A message that arrives after its end is lost.
    this.#child.send(text, () => undefined);
  }

  /** Kills the app as a crash does. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Resolves with the exit code when the app has ended, and its engine with it. */
  async end(): Promise<number | null> {
    await this.#ended;
    return this.#child.exitCode;
  }

  /** Resolves with the exit code when the main process has ended; its engine may still run. */
  async mainEnd(): Promise<number | null> {
    return await this.#mainEnded;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
    // They end with the app; one that is in the middle of something need not finish it.
    for (const { pid } of this.snapshot.utilities) if (!this.snapshot.ended.has(pid)) end(pid);
    await this.#ended;
    await rm(this.#home, { recursive: true, force: true });
  }

  async #end(): Promise<void> {
    await once(this.#child, 'close');
    this.#pages.leave();
    const { exitCode, signalCode } = this.#child;
    const how = exitCode ?? signalCode;
    this.snapshot.end(new Error(`The app ended (${how}) and had said: ${this.snapshot.printed}`));
  }

  #window(): number {
    const [window] = this.snapshot.windows.keys();
    if (window === undefined) throw new Error('The app has no window.');
    return window;
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

function isLike(label: string, pattern: string | RegExp): boolean {
  return typeof pattern === 'string' ? label === pattern : pattern.test(label);
}
