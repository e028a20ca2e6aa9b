import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { App as ElectronApp, CommandLine as ElectronCommandLine } from 'electron';
import { Dock } from './system/dock.ts';
import { StrictMock } from './strict-mock.ts';
import { takeInstanceLock } from './system/instance-lock.ts';
import { readLoginItem, setLoginItem } from './system/login-item.ts';
import { becomeReady, beforeReady, EVALUATED, isReady, whenReady } from './readiness.ts';
import { takeSignals } from './system/signals.ts';
import { answers, note } from './test-side.ts';

type PathName = Parameters<ElectronApp['getPath']>[0];

/** An event whose default can be prevented. */
export class MockEvent {
  defaultPrevented = false;

  preventDefault(): void {
    this.defaultPrevented = true;
  }
}

const EVENTS = [
  'ready',
  'activate',
  'before-quit',
  'will-quit',
  'quit',
  'window-all-closed',
  'second-instance',
  'web-contents-created',
  'browser-window-created',
  'browser-window-focus',
  'child-process-gone',
  'render-process-gone',
  'open-url',
  'open-file',
];

class App
  extends StrictMock
  implements
    Pick<
      ElectronApp,
      | 'enableSandbox'
      | 'exit'
      | 'focus'
      | 'getAppPath'
      | 'getLocale'
      | 'getLoginItemSettings'
      | 'getName'
      | 'getPath'
      | 'getVersion'
      | 'hide'
      | 'isPackaged'
      | 'isReady'
      | 'name'
      | 'quit'
      | 'relaunch'
      | 'releaseSingleInstanceLock'
      | 'requestSingleInstanceLock'
      | 'setAboutPanelOptions'
      | 'setActivationPolicy'
      | 'setAppLogsPath'
      | 'setAppUserModelId'
      | 'setBadgeCount'
      | 'setLoginItemSettings'
      | 'setName'
      | 'setPath'
      | 'show'
      | 'showAboutPanel'
      | 'whenReady'
    >
{
  readonly isPackaged = process.env['ELECTRON_MOCK_PACKAGED'] === '1';
  readonly dock = process.platform === 'darwin' ? new Dock() : undefined;
  readonly commandLine = new CommandLine();
  readonly #paths = new Map<string, string>();
  readonly #appPath = dirname(process.argv[1] ?? '.');
  #name: string | null = null;
  #releaseLock: (() => void) | null = null;
  #quitting = false;
  #exiting = false;
  /** Closes the windows in order; says whether all of them let themselves be closed. */
  closeWindows: () => boolean = () => true;
  /** Destroys the windows, which cannot say no. */
  destroyWindows: () => void = () => undefined;

  constructor() {
    super('app', EVENTS);
  }

  /** From `package.json`: the name for people if there is one. */
  get name(): string {
    if (this.#name !== null) return this.#name;
    const { productName, name } = this.#described();
    return String(productName ?? name);
  }

  set name(name: string) {
    this.#name = name;
  }

  getName(): string {
    return this.name;
  }

  setName(name: string): void {
    this.#name = name;
  }

  getVersion(): string {
    return String(this.#described()['version']);
  }

  /** The folder of the nearest `package.json`, as for an app that is not packed. */
  getAppPath(): string {
    let folder = this.#appPath;
    while (!hasPackage(folder) && folder !== dirname(folder)) folder = dirname(folder);
    return folder;
  }

  getLocale(): string {
    return 'en-GB';
  }

  isReady(): boolean {
    return isReady();
  }

  async whenReady(): Promise<void> {
    await whenReady();
  }

  getPath(name: PathName): string {
    const set = this.#paths.get(name);
    if (set !== undefined) return set;
    const path = this.#usualPath(name);
    this.#paths.set(name, path);
    return path;
  }

  setPath(name: string, path: string): void {
    this.#paths.set(name, path);
  }

  setAppLogsPath(path?: string): void {
    this.#paths.set('logs', path ?? join(this.getPath('userData'), 'logs'));
  }

  requestSingleInstanceLock(additionalData: Record<string, unknown> = {}): boolean {
    if (this.#releaseLock !== null) return true;
    const userData = this.getPath('userData');
    mkdirSync(userData, { recursive: true });
    this.#releaseLock = takeInstanceLock(userData, {
      mine: { argv: process.argv, cwd: process.cwd(), data: additionalData },
      onSecond: ({ argv, cwd, data }) =>
        void whenReady().then(() => this.emit('second-instance', {}, argv, cwd, data)),
    });
    return this.#releaseLock !== null;
  }

  releaseSingleInstanceLock(): void {
    note('app.releaseSingleInstanceLock');
    this.#releaseLock?.();
    this.#releaseLock = null;
  }

  /** In Electron's order: before-quit, the windows, will-quit, quit. Each of the first three can say no. Before `ready`, that still comes. */
  quit(): void {
    if (this.#exiting || !this.#agrees('before-quit')) return;
    this.#quitting = true;
    if (this.closeWindows() && this.#agrees('will-quit')) this.#shutDown(0);
    this.#quitting = this.#exiting;
  }

  /** While it closes the windows to quit, the last of them does not quit it once more. */
  isQuitting(): boolean {
    return this.#quitting;
  }

  /** Destroys the windows and returns: the code behind it goes on, and the process ends soon. Only before `ready` it ends at once. */
  exit(exitCode = 0): void {
    if (!isReady()) process.exit(exitCode);
    process.exitCode = exitCode;
    if (!this.#exiting) this.#shutDown(exitCode);
  }

  relaunch(options?: Electron.RelaunchOptions): void {
    note('app.relaunch', options ?? {});
  }

  enableSandbox(): void {
    beforeReady('app.enableSandbox()');
    note('app.enableSandbox');
  }

  setAppUserModelId(id: string): void {
    note('app.setAppUserModelId', id);
  }

  setLoginItemSettings(settings: Electron.Settings): void {
    setLoginItem(settings);
  }

  getLoginItemSettings(options?: Electron.LoginItemSettingsOptions): Electron.LoginItemSettings {
    return readLoginItem(options);
  }

  setAboutPanelOptions(options: Electron.AboutPanelOptionsOptions): void {
    note('app.setAboutPanelOptions', options);
  }

  showAboutPanel(): void {
    note('app.showAboutPanel');
  }

  setActivationPolicy(policy: 'regular' | 'accessory' | 'prohibited'): void {
    note('app.setActivationPolicy', policy);
  }

  setBadgeCount(count = 0): boolean {
    note('app.setBadgeCount', count);
    return true;
  }

  focus(): void {
    note('app.focus');
  }

  show(): void {
    note('app.show');
  }

  hide(): void {
    note('app.hide');
  }

  #described(): Readonly<Record<string, unknown>> {
    return JSON.parse(readFileSync(join(this.getAppPath(), 'package.json'), 'utf8'));
  }

  #shutDown(exitCode: number): void {
    this.#exiting = true;
    this.#quitting = true;
    this.destroyWindows();
    this.emit('quit', new MockEvent(), exitCode);
    this.#releaseLock?.();
    void whenReady().then(() => setImmediate(() => process.exit()));
  }

  #agrees(name: string): boolean {
    const event = new MockEvent();
    this.emit(name, event);
    return !event.defaultPrevented;
  }

  #usualPath(name: PathName): string {
    const userData = (): string => this.getPath('userData');
    switch (name) {
      case 'userData':
        return (
          this.commandLine.getSwitchValue('user-data-dir') ||
          mkdtempSync(join(tmpdir(), 'electron-mock-'))
        );
      case 'appData':
        return process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config');
      case 'temp':
        return tmpdir();
      case 'exe':
        return process.execPath;
      case 'logs':
        return join(userData(), 'logs');
      case 'sessionData':
        return userData();
      case 'home':
        return homedir();
      case 'downloads':
        return join(homedir(), 'Downloads');
      case 'desktop':
      case 'documents':
      case 'music':
      case 'pictures':
      case 'videos':
        return join(homedir(), name);
      case 'assets':
      case 'module':
      case 'recent':
      case 'crashDumps':
        throw new Error(`app.getPath('${name}') is not mocked.`);
    }
  }
}

class CommandLine implements Pick<
  ElectronCommandLine,
  'appendSwitch' | 'getSwitchValue' | 'hasSwitch'
> {
  readonly #appended = new Map<string, string>();

  appendSwitch(name: string, value = ''): void {
    beforeReady('app.commandLine.appendSwitch()');
    note('app.commandLine.appendSwitch', name, value);
    this.#appended.set(name, value);
  }

  hasSwitch(name: string): boolean {
    return (
      this.#appended.has(name) ||
      process.argv.some((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`))
    );
  }

  getSwitchValue(name: string): string {
    const given = process.argv.find((arg) => arg.startsWith(`--${name}=`));
    return given?.slice(name.length + 3) ?? this.#appended.get(name) ?? '';
  }
}

function hasPackage(folder: string): boolean {
  try {
    readFileSync(join(folder, 'package.json'));
    return true;
  } catch {
    // Further up, then.
    return false;
  }
}

export const app = new App();

answers.quit = () => app.quit();

// Beside the program of a packed app; here, where the built main module is.
Object.assign(process, { resourcesPath: dirname(process.argv[1] ?? '.') });

/** Resolves as in Electron only after the main module has been evaluated: a module that awaits `ready` at its top waits forever. */
export function start(): void {
  process.once(EVALUATED, () =>
    setImmediate(() => {
      takeSignals(() => app.quit());
      becomeReady();
      app.emit('ready', new MockEvent(), {});
    }),
  );
}
