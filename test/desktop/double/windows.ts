import type { BrowserWindow as ElectronWindow, BrowserWindowConstructorOptions } from 'electron';
import { app, DoubledEvent } from './app.ts';
import { Doubled } from './doubled.ts';
import type { Bounds, Control } from './letters.ts';
import { pages } from './protocol.ts';
import { afterReady } from './readiness.ts';
import { answers, note, stage } from './test-side.ts';
import { openContents, type WebContents } from './web-contents.ts';

const EVENTS = [
  'blur',
  'close',
  'closed',
  'focus',
  'hide',
  'maximize',
  'minimize',
  'move',
  'moved',
  'page-title-updated',
  'query-session-end',
  'ready-to-show',
  'resize',
  'resized',
  'responsive',
  'restore',
  'session-end',
  'show',
  'unmaximize',
  'unresponsive',
];

const all: BrowserWindow[] = [];
let made = 0;

/** A window without glass: its page is one that the test lends. */
export class BrowserWindow
  extends Doubled
  implements
    Pick<
      ElectronWindow,
      | 'close'
      | 'destroy'
      | 'flashFrame'
      | 'focus'
      | 'getBounds'
      | 'getNormalBounds'
      | 'getTitle'
      | 'hide'
      | 'id'
      | 'isDestroyed'
      | 'isFocused'
      | 'isFullScreen'
      | 'isMaximized'
      | 'isMinimized'
      | 'isVisible'
      | 'loadURL'
      | 'maximize'
      | 'minimize'
      | 'moveTop'
      | 'removeMenu'
      | 'restore'
      | 'setBackgroundColor'
      | 'setBounds'
      | 'setMenuBarVisibility'
      | 'setProgressBar'
      | 'setTitle'
      | 'setVisibleOnAllWorkspaces'
      | 'show'
      | 'showInactive'
      | 'unmaximize'
    >
{
  readonly id: number;
  readonly webContents: WebContents;
  readonly #preload: string;
  #title: string;
  #bounds: Bounds;
  #visible: boolean;
  #focused = false;
  #minimized = false;
  #maximized = false;
  #destroyed = false;

  constructor(options: BrowserWindowConstructorOptions = {}) {
    afterReady('Cannot create BrowserWindow');
    super('BrowserWindow', EVENTS);
    this.id = made += 1;
    const { x = 0, y = 0, width = 800, height = 600 } = options;
    this.#bounds = { x, y, width, height };
    this.#title = options.title ?? app.name;
    this.#visible = options.show ?? true;
    this.#preload = options.webPreferences?.preload ?? '';
    note('BrowserWindow', plain(options));
    this.webContents = openContents(this.id);
    all.push(this);
    this.#seen();
    app.emit('browser-window-created', {}, this);
  }

  static getAllWindows(): BrowserWindow[] {
    return [...all];
  }

  static getFocusedWindow(): BrowserWindow | null {
    return all.find((window) => window.isFocused()) ?? null;
  }

  static fromWebContents(contents: unknown): BrowserWindow | null {
    return all.find((window) => window.webContents === contents) ?? null;
  }

  static fromId(id: number): BrowserWindow | null {
    return all.find((window) => window.id === id) ?? null;
  }

  /** Resolves when the page has loaded, which takes a page that the test lends. */
  async loadURL(url: string): Promise<void> {
    const real = await pages.realUrl(url);
    this.webContents.arrive(url);
    this.#seen();
    await stage.ask('load', { window: this.id, url: real, preload: this.#preload });
    this.emit('ready-to-show');
    this.webContents.emit('did-finish-load');
  }

  isDestroyed(): boolean {
    return this.#destroyed;
  }

  isVisible(): boolean {
    return this.#visible;
  }

  isFocused(): boolean {
    return this.#focused;
  }

  isMinimized(): boolean {
    return this.#minimized;
  }

  isMaximized(): boolean {
    return this.#maximized;
  }

  isFullScreen(): boolean {
    return false;
  }

  show(): void {
    this.showInactive();
    this.focus();
  }

  showInactive(): void {
    if (this.#visible) return;
    this.#visible = true;
    this.#tell('show');
  }

  hide(): void {
    if (!this.#visible) return;
    this.#visible = false;
    this.#focused = false;
    this.#tell('hide');
  }

  focus(): void {
    if (this.#focused) return;
    for (const other of all) if (other !== this) other.#focused = false;
    this.#focused = true;
    this.#tell('focus');
  }

  moveTop(): void {
    note('BrowserWindow.moveTop');
  }

  minimize(): void {
    this.#minimized = true;
    this.#tell('minimize');
  }

  restore(): void {
    this.#minimized = false;
    this.#tell('restore');
  }

  maximize(): void {
    this.#maximized = true;
    this.#tell('maximize');
  }

  unmaximize(): void {
    this.#maximized = false;
    this.#tell('unmaximize');
  }

  getBounds(): Bounds {
    return this.#bounds;
  }

  getNormalBounds(): Bounds {
    return this.#bounds;
  }

  setBounds(bounds: Partial<Bounds>): void {
    this.#bounds = { ...this.#bounds, ...bounds };
    this.#tell('resize');
    this.emit('move');
  }

  getTitle(): string {
    return this.#title;
  }

  setTitle(title: string): void {
    this.#title = title;
    this.#seen();
  }

  setMenuBarVisibility(visible: boolean): void {
    note('BrowserWindow.setMenuBarVisibility', visible);
  }

  setVisibleOnAllWorkspaces(visible: boolean): void {
    note('BrowserWindow.setVisibleOnAllWorkspaces', visible);
  }

  removeMenu(): void {
    note('BrowserWindow.removeMenu');
  }

  setBackgroundColor(color: string): void {
    note('BrowserWindow.setBackgroundColor', color);
  }

  setProgressBar(progress: number): void {
    note('BrowserWindow.setProgressBar', progress);
  }

  flashFrame(flag: boolean): void {
    note('BrowserWindow.flashFrame', flag);
  }

  /** As a person closes it: whoever listens may prevent that. */
  close(): void {
    const event = new DoubledEvent();
    this.emit('close', event);
    if (!event.defaultPrevented) this.destroy();
  }

  destroy(): void {
    if (this.#destroyed) return;
    this.#destroyed = true;
    all.splice(all.indexOf(this), 1);
    stage.tell('unload', { window: this.id });
    stage.tell('windowGone', { window: this.id });
    this.webContents.destroy();
    this.emit('closed');
    if (all.length > 0 || app.isQuitting()) return;
    if (app.listenerCount('window-all-closed') > 0) app.emit('window-all-closed');
    else app.quit();
  }

  #tell(event: string): void {
    this.#seen();
    this.emit(event);
  }

  #seen(): void {
    stage.tell('windowSeen', {
      window: this.id,
      title: this.#title,
      url: this.webContents.getURL(),
      visible: this.#visible,
      focused: this.#focused,
      minimized: this.#minimized,
      maximized: this.#maximized,
      bounds: this.#bounds,
    });
  }
}

/** What of the options can be told to another process. */
function plain(options: object): unknown {
  return JSON.parse(JSON.stringify(options));
}

function theWindow({ window }: { readonly window: number }): BrowserWindow {
  const found = BrowserWindow.fromId(window);
  if (found === null) throw new Error(`There is no window ${window}.`);
  return found;
}

app.closeWindows = () => {
  for (const window of BrowserWindow.getAllWindows()) window.close();
  return all.length === 0;
};

Object.assign(answers, {
  closeWindow: (view) => theWindow(view).close(),
  focusWindow: (view) => theWindow(view).focus(),
} satisfies Partial<Control>);
