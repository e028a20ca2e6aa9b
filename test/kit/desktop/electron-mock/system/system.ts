import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type {
  Clipboard as ElectronClipboard,
  NativeTheme as ElectronTheme,
  Notification as ElectronNotification,
  NotificationConstructorOptions,
  PowerSaveBlocker,
  Shell,
} from 'electron';
import { MockEvent } from '../app.ts';
import { StrictMock, strictly } from '../strict-mock.ts';
import { afterReady } from '../readiness.ts';
import { answers, note, stage } from '../test-side.ts';

export const shell = strictly('shell', {
  async openExternal(url: string): Promise<void> {
    note('shell.openExternal', url);
  },
  async openPath(path: string): Promise<string> {
    note('shell.openPath', path);
    return '';
  },
  showItemInFolder(path: string): void {
    note('shell.showItemInFolder', path);
  },
} satisfies Partial<Shell>);

let copied = '';

export const clipboard = strictly('clipboard', {
  async writeText(text: string): Promise<void> {
    copied = text;
    note('clipboard.writeText', text);
  },
  async readText(): Promise<string> {
    return copied;
  },
} satisfies Partial<ElectronClipboard>);

class PowerMonitor extends StrictMock {
  constructor() {
    super('powerMonitor', [
      'suspend',
      'resume',
      'shutdown',
      'lock-screen',
      'unlock-screen',
      'on-ac',
      'on-battery',
    ]);
  }
}

export const powerMonitor = new PowerMonitor();

answers.power = ({ name }) => {
  const event = new MockEvent();
  powerMonitor.emit(name, event);
  return event.defaultPrevented;
};

const blockers = new Set<number>();
let lastBlocker = 0;

export const powerSaveBlocker = strictly('powerSaveBlocker', {
  start(type: 'prevent-app-suspension' | 'prevent-display-sleep'): number {
    afterReady('powerSaveBlocker cannot be used');
    blockers.add((lastBlocker += 1));
    note('powerSaveBlocker.start', type);
    return lastBlocker;
  },
  stop(id: number): boolean {
    note('powerSaveBlocker.stop');
    return blockers.delete(id);
  },
  isStarted: (id: number): boolean => blockers.has(id),
} satisfies Partial<PowerSaveBlocker>);

/** As in Electron, only the app references a notification: one that is garbage-collected reports no click (electron/electron#16922). */
const shown = new Map<number, WeakRef<Notification>>();
let lastNotification = 0;

export class Notification
  extends StrictMock
  implements Pick<ElectronNotification, 'body' | 'close' | 'show' | 'title'>
{
  readonly title: string;
  readonly body: string;
  readonly #id: number;

  constructor({ title = '', body = '' }: NotificationConstructorOptions = {}) {
    afterReady('Cannot create Notification');
    super('Notification', ['show', 'click', 'close', 'reply', 'action', 'failed']);
    this.title = title;
    this.body = body;
    this.#id = lastNotification += 1;
  }

  static isSupported(): boolean {
    return process.env['ELECTRON_MOCK_NOTICES'] !== 'none';
  }

  show(): void {
    if (process.env['ELECTRON_MOCK_NOTICES'] === 'fail') {
      setImmediate(() => {
        this.emit('failed', {}, FAILURE);
        note('Notification failed');
      });
      return;
    }
    shown.set(this.#id, new WeakRef(this));
    stage.tell('notificationSeen', { id: this.#id, title: this.title, body: this.body });
    this.emit('show', {});
  }

  close(): void {
    note('Notification.close', this.#id);
    if (shown.delete(this.#id)) this.emit('close', {});
  }
}

/** macOS refuses notifications of a program that is not signed, with its words. Linux refuses without a reason where no program shows them (libnotify_notification.cc). */
const FAILURE =
  process.platform === 'linux' ? '' : 'Notifications are not allowed for this application';

answers.notification = ({ id, name, reason }) => {
  const notification = shown.get(id)?.deref();
  if (notification === undefined) return false;
  if (name === 'failed') notification.emit(name, {}, FAILURE);
  else notification.emit(name, reason === undefined ? {} : { reason });
  return true;
};

answers.collectGarbage = () => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
};

class NativeTheme
  extends StrictMock
  implements Pick<ElectronTheme, 'shouldUseDarkColors' | 'themeSource'>
{
  themeSource: ElectronTheme['themeSource'] = 'system';

  constructor() {
    super('nativeTheme', ['updated']);
  }

  get shouldUseDarkColors(): boolean {
    return this.themeSource === 'system' ? systemIsDark : this.themeSource === 'dark';
  }

  /** Windows has a theme of its own for its bar; macOS gives that of the programs, and Linux has none. */
  get shouldUseDarkColorsForSystemIntegratedUI(): boolean {
    if (process.platform === 'linux') {
      throw new Error('shouldUseDarkColorsForSystemIntegratedUI is for Windows and macOS.');
    }
    return process.platform === 'win32' ? panelsAreDark : this.shouldUseDarkColors;
  }
}

let systemIsDark = false;
let panelsAreDark = false;

export const nativeTheme = new NativeTheme();

answers.themeIs = ({ dark, darkPanels }) => {
  systemIsDark = dark;
  panelsAreDark = darkPanels;
  nativeTheme.emit('updated');
};
