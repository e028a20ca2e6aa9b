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
import { openLog } from '../hosting/log.ts';
import { openLogFile } from '../hosting/log-file.ts';
import type { EngineSituation, UpdateState } from '../shared/desktop-contract.ts';
import type { Shortcut } from '../shared/shortcut.ts';
import { describeApp, showAbout } from './about.ts';
import { setAppMenu } from './app-menu.ts';
import { HIDDEN, readStartAtLogin, renewStartAtLogin, setStartAtLogin } from './autostart.ts';
import { Departure, DRAIN_MS } from './departure.ts';
import { DesktopServer } from './desktop-server.ts';
import type { EnginePlan } from '../hosting/engine-contract.ts';
import { type Calls, EngineProcess, type EngineProcessOptions } from './engine-process.ts';
import { watchFaults } from './faults.ts';
import { LinkQuestion } from './link-question.ts';
import { Memory } from './memory.ts';
import { openNative } from './native.ts';
import { engineNotices, statusNotices, videoNotices } from '../hosting/news.ts';
import { Notices } from './notices.ts';
import { servePage } from './page-protocol.ts';
import { openPageSource } from './page-source.ts';
import { onPower, Wakefulness } from './power.ts';
import { guard } from './security.ts';
import { isPage } from './sender.ts';
import { AppTray } from './tray.ts';
import { askToRestart } from './restart-question.ts';
import { Updates, whyNoUpdates } from './updates.ts';
import type { Facts } from '../hosting/glance.ts';
import { type Seen, Watch } from '../hosting/watch.ts';
import { MainWindow } from './main-window.ts';
import { QUICK, QuickShortcut } from './quick-shortcut.ts';
import { QuickWindow } from './quick-window.ts';

/** The app: its parts, and who hears of what. */
export class Desktop {
  readonly #log: Log;
  readonly #window: MainWindow;
  readonly #quick: QuickWindow;
  readonly #shortcut: QuickShortcut;
  readonly #notices: Notices;
  readonly #engine: EngineProcess;
  readonly #server: DesktopServer;
  readonly #departure: Departure;
  readonly #updates: Updates;
  readonly #tray: AppTray;
  readonly #watch: Watch;
  readonly #wakefulness = new Wakefulness();
  readonly #links = new LinkQuestion();
  #calls: Calls | null = null;
  #seen: Seen | null = null;

  constructor(dataDir: string) {
    guard(session.defaultSession);
    renewStartAtLogin();
    const memory = new Memory(join(app.getPath('userData'), 'window.json'));
    const onSessionEnd = (): void => this.#departure.endSession();
    this.#window = new MainWindow(memory, onSessionEnd);
    this.#quick = new QuickWindow(memory, onSessionEnd);
    this.#shortcut = new QuickShortcut(memory, () => this.#quick.toggle());
    this.#notices = new Notices({
      isSeen: () => this.#window.isInFront,
      open: (address) => this.#window.show(address),
      onTrouble: (notices) => this.#turnNotices(notices),
    });
    const logFile = join(dataDir, 'logs', 'engine.log');
    const writeLog = openLogFile(logFile);
    const write = (line: string): void => writeLog(`${line}\n`);
    this.#log = openLog({ level: 'info', write, redact: String, now: Date.now });
    this.#setAppMenu(describeApp(this.#log).site);
    this.#engine = this.#makeEngine(dataDir, { logFile, writeLog });
    this.#departure = new Departure(
      (drainMs) => this.#engine.close(drainMs),
      () => this.#leave(),
    );
    watchFaults({
      log: this.#log,
      logFile,
      leave: (end) => this.#departure.begin(DRAIN_MS.quit, end),
      isLeaving: () => this.#departure.hasBegun,
    });
    this.#server = this.#makeServer();
    this.#updates = this.#makeUpdates();
    this.#tray = this.#makeTray();
    this.#watch = new Watch({
      onSeen: (seen) => this.#show(seen),
      onVideos: (jobs) => this.#notices.tell(videoNotices(jobs)),
      onTrouble: (error) =>
        this.#log('warn', 'The tray could not look at the engine.', { reason: String(error) }),
    });
    this.#listen();
  }

  /** Starts the engine, and shows the window unless the system started the app by itself. */
  open(): void {
    this.#engine.start();
    const byItself =
      process.argv.includes(HIDDEN) ||
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
        if (isPage(senderFrame)) return take(port, sender);
        port.close();
        const from = senderFrame?.url ?? 'a frame that is gone';
        this.#log('warn', 'A message that is not from our page was refused.', { channel, from });
      });
    }
    app.on('second-instance', (_event, argv) => {
      if (argv.includes(QUICK)) this.#quick.toggle();
      else if (!argv.includes(HIDDEN)) this.#window.show();
    });
    app.on('render-process-gone', (_event, _page, { reason, exitCode }) =>
      this.#log('warn', 'The page of a window has ended.', { reason, exitCode }),
    );
    app.on('activate', () => this.#window.show());
    // A person may come from the switch of the system itself.
    app.on('browser-window-focus', () => this.#showStartAtLogin());
    // The tray goes on.
    app.on('window-all-closed', () => undefined);
    onPower({
      suspend: () => this.#engine.machine('sleep'),
      resume: () => this.#engine.machine('wake'),
      shutdown: () => this.#departure.endSession(),
    });
  }

  #makeEngine(
    dataDir: string,
    log: Pick<EngineProcessOptions, 'logFile' | 'writeLog'>,
  ): EngineProcess {
    const native = openNative();
    servePage(openPageSource(), native);
    return new EngineProcess({
      program: join(import.meta.dirname, 'engine.js'),
      plan: { dataDir, version: app.getVersion(), ...portOf(process.env['GATEHOUSE_PORT']) },
      serveNative: native.serve,
      log: this.#log,
      ...log,
      onState: (state) => this.#turn(state),
    });
  }

  #makeServer(): DesktopServer {
    return new DesktopServer(
      {
        engine: { name: 'starting' },
        startAtLogin: readStartAtLogin(),
        updates: updatesAtFirst(),
        quickChat: this.#shortcut.state,
        notices: this.#notices.trouble,
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

  #makeUpdates(): Updates {
    return new Updates(
      this.#server.state.updates,
      (updates) => {
        this.#server.turn({ updates });
        this.#tray.show(this.#facts);
      },
      (when, end) => this.#departure.begin(when === 'now' ? 0 : DRAIN_MS.quit, end),
    );
  }

  async #askToRestart(): Promise<void> {
    const when = await askToRestart(this.#seen?.running ?? 0);
    if (when !== null) this.#updates.restart(when);
  }

  #makeTray(): AppTray {
    return new AppTray(this.#facts, {
      copy: (text) => void attempt(() => clipboard.writeText(text)),
      open: (address) => this.#window.show(address),
      quickChat: () => this.#quick.show(),
      start: (port) => this.#engine.start(port),
      pause: (paused) => void attempt(() => this.#calls?.status[paused ? 'pause' : 'resume']()),
      setStartAtLogin: (on) => void attempt(() => this.#setStartAtLogin(on)),
      check: () => void this.#updates.check(),
      download: () => void this.#updates.download(),
      restart: () => void attempt(() => this.#askToRestart()),
      about: showAbout,
      quit: () => app.quit(),
    });
  }

  #setAppMenu(site: string | null): void {
    setAppMenu({
      open: (address) => this.#window.show(address),
      quickChat: () => this.#quick.show(),
      about: showAbout,
      site: site === null ? null : () => void attempt(() => this.#openSite(site)),
    });
  }

  async #openSite(site: string): Promise<void> {
    const refusal = await this.#links.ask(site, null);
    if (refusal !== null) throw new Error(refusal);
  }

  /** Gives the facts of this moment: the last ones of an engine that has ended are not true any more. */
  get #facts(): Facts {
    const { state } = this.#server;
    const ended = state.engine.name === 'down' || state.engine.name === 'refused';
    return { ...state, seen: ended ? null : this.#seen, leaving: this.#departure.hasBegun };
  }

  #turn(engine: EngineSituation): void {
    this.#server.turn({ engine });
    this.#notices.tellOnce(engineNotices(engine));
    if (engine.name === 'running') {
      for (const window of [this.#window, this.#quick]) window.send('gatehouse:engine-runs');
      this.#calls = this.#engine.calls();
      if (this.#calls !== null) void this.#watch.follow(this.#calls);
    }
    this.#tray.show(this.#facts);
  }

  #show(seen: Seen | null): void {
    if (seen !== null) {
      this.#notices.tellOnce(statusNotices(this.#seen?.status ?? null, seen.status));
    }
    this.#seen = seen;
    this.#wakefulness.whileRunning(seen?.running ?? 0);
    this.#updates.hear(seen?.running ?? 0);
    this.#tray.show(this.#facts);
  }

  #setStartAtLogin(on: boolean): void {
    setStartAtLogin(on);
    this.#showStartAtLogin();
  }

  #showStartAtLogin(): void {
    const startAtLogin = readStartAtLogin();
    if (isDeepStrictEqual(startAtLogin, this.#server.state.startAtLogin)) return;
    this.#server.turn({ startAtLogin });
    this.#tray.show(this.#facts);
  }

  #setQuickShortcut(shortcut: Shortcut | null): string | null {
    const refusal = this.#shortcut.set(shortcut);
    if (refusal === null) this.#server.turn({ quickChat: this.#shortcut.state });
    return refusal;
  }

  #turnNotices(notices: string | null): void {
    if (notices !== null) this.#log('warn', 'A notice was not shown.', { reason: notices });
    this.#server.turn({ notices });
  }

  #leave(): void {
    for (const window of [this.#window, this.#quick]) window.release();
    this.#tray.show(this.#facts);
  }
}

/** Does what a person chose in the tray, where nothing else tells that it failed. */
async function attempt(act: () => unknown): Promise<void> {
  try {
    await act();
  } catch (error) {
    dialog.showErrorBox('That did not work', String(error));
  }
}

function updatesAtFirst(): UpdateState {
  const sentence = whyNoUpdates();
  return sentence === null ? { name: 'idle', checkedAt: null } : { name: 'off', sentence };
}

function portOf(text: string | undefined): Pick<EnginePlan, 'port' | 'portPinned'> {
  return text === undefined || text === ''
    ? {}
    : {
        port: Number(text),
        portPinned: 'This run was told its port by GATEHOUSE_PORT, so it cannot be changed here.',
      };
}
