import { initialUpdateState, Updates } from './updates/updates.ts';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  app,
  BrowserWindow,
  clipboard,
  dialog,
  ipcMain,
  type MessagePortMain,
  session,
  type WebContents,
} from 'electron';
import type { Log } from '../gateway/host.ts';
import { createLog } from '../host/log/log.ts';
import { openLogFile } from '../host/log/log-file.ts';
import type { EngineState } from '../shared/desktop/desktop-contract.ts';
import type { Shortcut } from '../shared/desktop/shortcut.ts';
import { describeApp, showAbout } from './about.ts';
import { setAppMenu } from './app-menu.ts';
import {
  HIDDEN_ARGUMENT,
  readStartAtLogin,
  updateStartAtLogin,
  setStartAtLogin,
} from './autostart.ts';
import { AppShutdown, DRAIN_TIMEOUT_MS } from './shutdown.ts';
import { DesktopServer } from './desktop-server.ts';
import { readPortOptions } from './environment.ts';
import { type Calls, EngineProcess, type EngineProcessOptions } from './engine/engine-process.ts';
import { watchFaults } from './faults.ts';
import { LinkConfirmation } from './link-confirmation.ts';
import { WindowStateFile } from './window/window-state.ts';
import { type Native, openNative } from './native.ts';
import {
  engineNotifications,
  snapshotNotifications,
  videoNotifications,
} from '../host/status/notifications.ts';
import { Notices } from './notices.ts';
import { servePage } from './page/page-protocol.ts';
import { openPageSource } from './page/page-source.ts';
import { onPower, SleepBlocker } from './sleep-blocker.ts';
import { hardenSession } from './security.ts';
import { isTrustedSender } from './trusted-sender.ts';
import { AppTray } from './tray/tray.ts';
import { askToRestart } from './updates/restart-question.ts';
import type { AppState } from '../host/status/status-summary.ts';
import { type GatewaySnapshot, GatewayMonitor } from '../host/status/gateway-monitor.ts';
import { MainWindow } from './window/main-window.ts';
import { QUICK, QuickShortcut } from './quick-shortcut.ts';
import { QuickWindow } from './window/quick-window.ts';

/** The app: creates its parts and connects their events. */
export class Desktop {
  readonly #log: Log;
  readonly #window: MainWindow;
  readonly #quick: QuickWindow;
  readonly #shortcut: QuickShortcut;
  readonly #notices: Notices;
  readonly #engine: EngineProcess;
  readonly #server: DesktopServer;
  readonly #shutdown: AppShutdown;
  readonly #updates: Updates;
  readonly #tray: AppTray;
  readonly #monitor: GatewayMonitor;
  readonly #sleepBlocker = new SleepBlocker();
  readonly #links = new LinkConfirmation();
  #calls: Calls | null = null;
  #snapshot: GatewaySnapshot | null = null;

  constructor(dataDir: string) {
    hardenSession(session.defaultSession);
    updateStartAtLogin();
    const windowState = new WindowStateFile(join(app.getPath('userData'), 'window.json'));
    const onSessionEnd = (): void => this.#shutdown.endSession();
    this.#window = new MainWindow(windowState, onSessionEnd);
    this.#quick = new QuickWindow(windowState, onSessionEnd);
    this.#shortcut = new QuickShortcut(windowState, () => this.#quick.toggle());
    this.#notices = new Notices({
      isSeen: () => this.#window.isInFront,
      open: (address) => this.#window.show(address),
      onFailure: (notices) => this.#showNotificationFailure(notices),
    });
    const logFile = join(dataDir, 'logs', 'engine.log');
    const writeLog = openLogFile(logFile);
    const write = (line: string): void => writeLog(`${line}\n`);
    const native = openNative();
    this.#log = createLog({ level: 'info', write, redact: native.redact, now: Date.now });
    this.#setAppMenu(describeApp(this.#log).site);
    this.#engine = this.#createEngine(dataDir, native, { logFile, writeLog });
    this.#shutdown = new AppShutdown(
      (drainMs) => this.#engine.close(drainMs),
      () => this.#leave(),
    );
    watchFaults({
      log: this.#log,
      logFile,
      quit: (end) => this.#shutdown.start(DRAIN_TIMEOUT_MS.quit, end),
      isQuitting: () => this.#shutdown.isStarted,
    });
    this.#server = this.#createServer();
    this.#updates = this.#createUpdates();
    this.#tray = this.#createTray();
    this.#monitor = new GatewayMonitor({
      onSnapshot: (snapshot) => this.#show(snapshot),
      onVideos: (jobs) => this.#notices.notify(videoNotifications(jobs)),
      onError: (error) =>
        this.#log('warn', 'The tray could not read the state of the engine.', {
          reason: String(error),
        }),
    });
    this.#listen();
  }

  /** Starts the engine, and shows the window unless the system started the app at login. */
  open(): void {
    this.#engine.start();
    const byItself =
      process.argv.includes(HIDDEN_ARGUMENT) ||
      (process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin);
    if (process.argv.includes(QUICK)) this.#quick.show();
    else if (!byItself) this.#window.show();
    if (byItself) this.#window.stayHidden();
  }

  #listen(): void {
    const serve: Readonly<Record<string, (port: MessagePortMain, page: WebContents) => void>> = {
      'gatehouse:engine': (port) => void this.#engine.connect(port),
      'gatehouse:desktop': (port, page) => this.#server.serve(port, page),
    };
    for (const [channel, take] of Object.entries(serve)) {
      ipcMain.on(channel, ({ sender, senderFrame, ports: [port] }) => {
        if (port === undefined) return;
        if (isTrustedSender(senderFrame)) return take(port, sender);
        port.close();
        const from = senderFrame?.url ?? 'a frame that is gone';
        this.#log('warn', 'A message that is not from our page was refused.', { channel, from });
      });
    }
    app.on('second-instance', (_event, argv) => {
      if (argv.includes(QUICK)) this.#quick.toggle();
      else if (!argv.includes(HIDDEN_ARGUMENT)) this.#window.show();
    });
    app.on('render-process-gone', (_event, _page, { reason, exitCode }) =>
      this.#log('warn', 'The page of a window has ended.', { reason, exitCode }),
    );
    app.on('activate', () => this.#window.show());
    // A person may come from the system's own settings.
    app.on('browser-window-focus', () => this.#showStartAtLogin());
    // The tray still works.
    app.on('window-all-closed', () => undefined);
    onPower({
      suspend: () => this.#engine.notifyPower('sleep'),
      resume: () => this.#engine.notifyPower('wake'),
      shutdown: () => this.#shutdown.endSession(),
    });
  }

  #createEngine(
    dataDir: string,
    native: Native,
    log: Pick<EngineProcessOptions, 'logFile' | 'writeLog'>,
  ): EngineProcess {
    servePage(openPageSource(), native);
    return new EngineProcess({
      program: join(import.meta.dirname, 'engine.js'),
      options: {
        dataDir,
        version: app.getVersion(),
        ...readPortOptions(),
      },
      serveNative: native.serve,
      log: this.#log,
      ...log,
      onState: (state) => this.#updateEngine(state),
    });
  }

  #createServer(): DesktopServer {
    return new DesktopServer(
      {
        engine: { name: 'starting' },
        startAtLogin: readStartAtLogin(),
        updates: initialUpdateState(),
        quickChat: this.#shortcut.state,
        notices: this.#notices.failure,
      },
      {
        start: (port) => this.#engine.start(port),
        setStartAtLogin: (on) => this.#setStartAtLogin(on),
        quit: () => app.quit(),
        check: () => this.#updates.check(),
        download: () => this.#updates.download(),
        restart: (when) => this.#updates.restart(when),
        setQuickShortcut: (shortcut) => this.#setQuickShortcut(shortcut),
        showQuick: () => this.#quick.show(),
        hideQuick: () => this.#quick.hide(),
        leaveQuick: (address) => {
          this.#window.show(address);
          this.#quick.hide();
        },
        openLink: (url, page) => this.#links.ask(url, BrowserWindow.fromWebContents(page)),
      },
    );
  }

  #createUpdates(): Updates {
    return new Updates(
      this.#server.state.updates,
      (updates) => {
        this.#server.update({ updates });
        this.#tray.show(this.#facts);
      },
      (when, end) => this.#shutdown.start(when === 'now' ? 0 : DRAIN_TIMEOUT_MS.quit, end),
    );
  }

  async #askToRestart(): Promise<void> {
    const service = this.#snapshot?.status.upstream.id ?? null;
    const when = await askToRestart(this.#snapshot?.running ?? 0, service);
    if (when !== null) this.#updates.restart(when);
  }

  #createTray(): AppTray {
    return new AppTray(this.#facts, {
      copy: (text) => void runOrShowError(() => clipboard.writeText(text)),
      open: (address) => this.#window.show(address),
      quickChat: () => this.#quick.show(),
      start: (port) => this.#engine.start(port),
      pause: (paused) =>
        void runOrShowError(() => this.#calls?.status[paused ? 'pause' : 'resume']()),
      useProfile: (name) => void runOrShowError(() => this.#calls?.aliases.profiles.use({ name })),
      setStartAtLogin: (on) => void runOrShowError(() => this.#setStartAtLogin(on)),
      check: () => void this.#updates.check(),
      download: () => void this.#updates.download(),
      restart: () => void runOrShowError(() => this.#askToRestart()),
      about: showAbout,
      quit: () => app.quit(),
    });
  }

  #setAppMenu(site: string | null): void {
    setAppMenu({
      open: (address) => this.#window.show(address),
      quickChat: () => this.#quick.show(),
      about: showAbout,
      site: site === null ? null : () => void runOrShowError(() => this.#openSite(site)),
    });
  }

  async #openSite(site: string): Promise<void> {
    const refusal = await this.#links.ask(site, null);
    if (refusal !== null) throw new Error(refusal);
  }

  /** Returns the current facts: the last ones of an engine that has ended are no longer true. */
  get #facts(): AppState {
    const { state } = this.#server;
    const ended = state.engine.name === 'down' || state.engine.name === 'refused';
    return {
      ...state,
      snapshot: ended ? null : this.#snapshot,
      quitting: this.#shutdown.isStarted,
    };
  }

  #updateEngine(engine: EngineState): void {
    this.#server.update({ engine });
    this.#notices.notifyOnce(engineNotifications(engine));
    if (engine.name === 'running') {
      for (const window of [this.#window, this.#quick]) window.send('gatehouse:engine-runs');
      this.#calls = this.#engine.calls();
      if (this.#calls !== null) void this.#monitor.follow(this.#calls);
    }
    this.#tray.show(this.#facts);
  }

  #show(snapshot: GatewaySnapshot | null): void {
    if (snapshot !== null) {
      this.#notices.notifyOnce(snapshotNotifications(this.#snapshot, snapshot));
    }
    this.#snapshot = snapshot;
    this.#sleepBlocker.update(snapshot?.running ?? 0);
    this.#updates.onRunningChange(snapshot?.running ?? 0);
    this.#tray.show(this.#facts);
  }

  #setStartAtLogin(on: boolean): void {
    setStartAtLogin(on);
    this.#showStartAtLogin();
  }

  #showStartAtLogin(): void {
    const startAtLogin = readStartAtLogin();
    if (isDeepStrictEqual(startAtLogin, this.#server.state.startAtLogin)) return;
    this.#server.update({ startAtLogin });
    this.#tray.show(this.#facts);
  }

  #setQuickShortcut(shortcut: Shortcut | null): string | null {
    const refusal = this.#shortcut.set(shortcut);
    if (refusal === null) this.#server.update({ quickChat: this.#shortcut.state });
    return refusal;
  }

  #showNotificationFailure(notices: string | null): void {
    if (notices !== null) this.#log('warn', 'A notification was not shown.', { reason: notices });
    this.#server.update({ notices });
  }

  #leave(): void {
    for (const window of [this.#window, this.#quick]) window.release();
    this.#tray.show(this.#facts);
  }
}

/** Performs an action of the tray whose failure is shown nowhere else. */
async function runOrShowError(action: () => unknown): Promise<void> {
  try {
    await action();
  } catch (error) {
    dialog.showErrorBox('The action failed', String(error));
  }
}
