import type { BrowserWindow as ElectronWindow, BrowserWindowConstructorOptions } from 'electron';
import { app, MockEvent } from './app.ts';
import { middleOf, placeOfNew, screen } from './system/displays.ts';
import { StrictMock } from './strict-mock.ts';
import type { Bounds, Control } from './transport/messages.ts';
import { pages } from './protocol.ts';
import { afterReady } from './readiness.ts';
import { answers, note, stage } from './test-side.ts';
import {
  EMPTY_PAGES,
  failureOf,
  GETS_FOCUS,
  plain,
  TELLS_READINESS,
  WINDOW_EVENTS,
} from './system/window-system.ts';
import { openContents, type WebContents } from './web-contents.ts';

const all: BrowserWindow[] = [];
let made = 0;

/** A window without glass: its page is one that the test lends. */
export class BrowserWindow
  extends StrictMock
  implements
    Pick<
      ElectronWindow,
      | 'center'
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
      | 'setFullScreen'
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
  #fullScreen = false;
  readonly #fullScreenable: boolean;
  #destroyed = false;

  constructor(options: BrowserWindowConstructorOptions = {}) {
    afterReady('Cannot create BrowserWindow');
    super('BrowserWindow', WINDOW_EVENTS);
    this.id = made += 1;
    this.#bounds = placeOfNew(options);
    this.#title = options.title ?? app.name;
    this.#visible = options.show ?? true;
    this.#fullScreenable = options.fullscreenable ?? true;
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
    note('loadURL', url);
    const real = await pages.realUrl(url);
    this.webContents.arrive(url);
    this.#seen();
    const failure = failureOf(url);
    if (failure !== null) throw failure;
    const view = { window: this.id, url: real, preload: this.#preload };
    if (!EMPTY_PAGES) await stage.ask('load', view);
    if (this.#destroyed) return;
    if (TELLS_READINESS) this.emit('ready-to-show');
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
    return this.#fullScreen;
  }

  /**
   * Begins a transition that is over when the test says so. Windows tells of it before `isFullScreen()` changes, and a window that may not
   * fill the screen does nothing, not even when the system has made it fill the screen (native_window_views.cc).
   */
  setFullScreen(on: boolean): void {
    this.#living();
    note('BrowserWindow.setFullScreen', on);
    if (process.platform !== 'win32' || !this.#fullScreenable) return;
    this.emit(on ? 'enter-full-screen' : 'leave-full-screen');
    this.#fullScreen = on;
    this.#seen();
  }

  /** The transition is over, whoever has begun it: the app, a person or the window manager. */
  fillScreen(on: boolean): void {
    this.#fullScreen = on;
    this.#tell(on ? 'enter-full-screen' : 'leave-full-screen');
  }

  show(): void {
    this.showInactive();
    this.focus();
  }

  showInactive(): void {
    this.#living();
    note('BrowserWindow.show', this.id);
    if (this.#visible) return;
    this.#visible = true;
    this.#tell('show');
  }

  hide(): void {
    this.#living();
    if (this.#fullScreen && process.platform === 'darwin')
      throw new Error('A window that fills the screen leaves it black on macOS.');
    if (!this.#visible) return;
    this.#visible = false;
    this.#focused = false;
    this.#tell('hide');
  }

  /** The focus comes later, if the system gives it. */
  focus(): void {
    this.#living();
    if (!GETS_FOCUS) return;
    setImmediate(() => {
      if (this.#visible && !this.#destroyed) this.takeFocus();
    });
  }

  /** The system gives it the focus. */
  takeFocus(): void {
    if (this.#focused) return;
    for (const other of all) if (other !== this) other.#focused = false;
    this.#focused = true;
    this.#tell('focus');
    app.emit('browser-window-focus', new MockEvent(), this);
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

  /** Shows it, too, without a focus. */
  maximize(): void {
    this.showInactive();
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

  center(): void {
    this.setBounds(middleOf(screen.getPrimaryDisplay().workArea, this.#bounds));
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

  /** Closes the window like a person: a listener may prevent that. */
  close(): void {
    const event = new MockEvent();
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

  /** @throws as Electron does when a window is used after its end */
  #living(): void {
    if (this.#destroyed) throw new TypeError('Object has been destroyed');
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
      fullScreen: this.#fullScreen,
      bounds: this.#bounds,
    });
  }
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
app.destroyWindows = () => BrowserWindow.getAllWindows().forEach((window) => window.destroy());

Object.assign(answers, {
  closeWindow: (view) => theWindow(view).close(),
  focusWindow: (view) => theWindow(view).takeFocus(),
  fullScreen: (view) => theWindow(view).fillScreen(view.on),
} satisfies Partial<Control>);
