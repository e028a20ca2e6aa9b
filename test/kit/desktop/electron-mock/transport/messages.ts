import type { RelayCalls } from './relay.ts';

/** One line of a menu, as a person sees it. */
export interface MenuLine {
  readonly type: 'normal' | 'separator' | 'submenu' | 'checkbox' | 'radio' | 'header' | 'palette';
  readonly label: string;
  readonly enabled: boolean;
  readonly checked: boolean;
  readonly submenu: readonly MenuLine[];
}

/** The tray as a person sees it. */
export interface TraySeen {
  readonly image: string;
  readonly toolTip: string;
  readonly menu: readonly MenuLine[];
}

export interface Bounds {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A display, in the coordinates of the whole desktop. */
export interface DisplaySeen {
  readonly id: number;
  readonly workArea: Bounds;
  readonly scaleFactor: number;
}

export interface WindowSeen {
  readonly window: number;
  readonly title: string;
  readonly url: string;
  readonly visible: boolean;
  readonly focused: boolean;
  readonly minimized: boolean;
  readonly maximized: boolean;
  readonly fullScreen: boolean;
  readonly bounds: Bounds;
}

export interface UtilitySeen {
  readonly serviceName: string;
  readonly pid: number;
}

/** Something that ends a utility process, or should. `thread`: one of its threads ends itself; `out of memory` is its heap. */
export interface UtilityFault {
  readonly pid: number;
  readonly how: 'thrown' | 'rejected' | 'exit' | 'thread' | 'out of memory';
  readonly message: string;
}

export interface NotificationSeen {
  readonly id: number;
  readonly title: string;
  readonly body: string;
}

/** Something that happens to a notification. */
export interface NotificationEvent {
  readonly id: number;
  readonly name: 'click' | 'close' | 'failed';
  /** Why it closed; Windows keeps one that has timed out, and it can be clicked there. */
  readonly reason?: 'userCanceled' | 'applicationHidden' | 'timedOut';
}

/** Something of the system that was called, with what can be said of its arguments. */
export interface CallSeen {
  readonly name: string;
  readonly args: readonly unknown[];
}

/** A page to load into a window. */
export interface View {
  readonly window: number;
  /** The actual address of the page. */
  readonly url: string;
  /** The preload script, a file; empty when there is none. */
  readonly preload: string;
}

/** A message between the main process and the preload script of a window. */
export interface PageMessage {
  readonly window: number;
  readonly channel: string;
  readonly args: readonly unknown[];
  /** The names of the ports that come with it. */
  readonly ports: readonly string[];
}

/** A message with its sender. */
export interface FromPage extends PageMessage {
  /** `null`: the page itself, where it is now. */
  readonly frame: ForgedFrame | null;
  /** Whether its ports are the test's, which outlive the page. */
  readonly outlives: boolean;
}

/** A frame that only a test has made up. */
export interface ForgedFrame {
  readonly url: string;
  readonly isMainFrame: boolean;
}

/** Somewhere that a page goes. */
export interface Going {
  readonly window: number;
  readonly url: string;
  readonly isMainFrame: boolean;
}

/** A permission that a page asks for. */
export interface Permission {
  readonly window: number;
  readonly permission: string;
  readonly url: string;
}

/** A file that a page has the browser save. */
export interface Download {
  readonly id: number;
  readonly url: string;
  readonly filename: string;
}

export interface DialogAsked {
  readonly kind: 'message' | 'open' | 'save' | 'error';
  readonly options: object;
  /** The window it stands before; `null`: it stands alone. */
  readonly window: number | null;
}

/** The choice of a person in a dialog. No path means that it was cancelled. */
export interface DialogChoice {
  readonly button: number;
  readonly checked: boolean;
  readonly paths: readonly string[];
}

/** The mock asks these of the test, which has the pages and the person before them. */
export interface Stage extends RelayCalls {
  load(view: View): Promise<void>;
  unload(view: { readonly window: number }): Promise<void>;
  reload(view: { readonly window: number }): Promise<void>;
  toPage(message: PageMessage): Promise<void>;
  traySeen(tray: TraySeen | null): void;
  windowSeen(window: WindowSeen): void;
  windowGone(view: { readonly window: number }): void;
  utilitySeen(utility: UtilitySeen): void;
  utilityGone(utility: UtilitySeen): void;
  notificationSeen(notification: NotificationSeen): void;
  callSeen(call: CallSeen): void;
  dialog(asked: DialogAsked): Promise<DialogChoice>;
}

/** The test asks these of the mock: acts of a page, a person or the system. */
export interface Control extends RelayCalls {
  fromPage(message: FromPage): void;
  invoke(message: FromPage): Promise<unknown>;
  /** The page's document is gone, and with it its ports. */
  pageGone(view: { readonly window: number }): void;
  /** Clicks an item of the tray's menu; the labels lead there. */
  pick(labels: readonly string[]): Promise<void>;
  /** The menu of the app, like that of the tray. */
  pickOfApp(labels: readonly string[]): void;
  clickTray(nothing: null): void;
  /** Returns whether the app still references the notification and so receives its event. */
  notification(event: NotificationEvent): boolean;
  /** Frees what nobody holds. */
  collectGarbage(nothing: null): void;
  closeWindow(view: { readonly window: number }): void;
  focusWindow(view: { readonly window: number }): void;
  /** A person makes a window fill the screen, or lets it; the same ends what the app has begun of that. */
  fullScreen(view: { readonly window: number; readonly on: boolean }): void;
  /** Sets the displays that are plugged in from now on, the main one first. */
  displaysAre(displays: readonly DisplaySeen[]): void;
  /** Something goes wrong in the main process that nobody catches. */
  fault(fault: { readonly how: 'thrown' | 'rejected'; readonly message: string }): void;
  /** Something goes wrong in a utility process. */
  utilityFault(fault: UtilityFault): void;
  /** An event of `powerMonitor`. Says whether its default was prevented. */
  power(event: { readonly name: string }): boolean;
  /** Sets the system's proxy for any address from now on: `DIRECT`, `PROXY host:port` … */
  proxyIs(answer: string): void;
  /** The system's theme, from now on: of its programs, and of its own panels. */
  themeIs(theme: { readonly dark: boolean; readonly darkPanels: boolean }): void;
  /** Presses keys anywhere in the system. Says whether the app has them. */
  pressKeys(accelerator: string): boolean;
  /** Events of the tray's menu. */
  menu(event: 'menu-will-show' | 'menu-will-close'): void;
  /** Whether a frame may go there by itself. */
  mayNavigate(going: Going): boolean;
  /** Whether the page may open another one. */
  mayOpen(going: Going): boolean;
  /** The page is there now, by itself or because it was loaded. */
  pageAt(going: Going): void;
  /** The page's process is gone. */
  pageCrashed(view: { readonly window: number }): void;
  /** Whether a page is let: as it is asked for, and as it is checked. */
  permitted(wanted: Permission): Promise<{ readonly asked: boolean; readonly checked: boolean }>;
  /** Sets the path of a download; `null`: it is cancelled. */
  download(download: Download): Promise<string | null>;
  downloadEnded(end: { readonly id: number; readonly state: 'completed' | 'interrupted' }): void;
  /** The switch of Windows itself for what it starts at login. */
  switchLoginItem(wanted: { readonly on: boolean }): void;
  quit(nothing: null): void;
}
