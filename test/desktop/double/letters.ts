import type { RelayCalls } from './relay.ts';

/** One line of a menu, as a person sees it. */
export interface MenuLine {
  readonly type: 'normal' | 'separator' | 'submenu' | 'checkbox' | 'radio' | 'header' | 'palette';
  readonly label: string;
  readonly enabled: boolean;
  readonly checked: boolean;
  readonly submenu: readonly MenuLine[];
}

/** What stands in the tray. */
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

export interface WindowSeen {
  readonly window: number;
  readonly title: string;
  readonly url: string;
  readonly visible: boolean;
  readonly focused: boolean;
  readonly minimized: boolean;
  readonly maximized: boolean;
  readonly bounds: Bounds;
}

export interface UtilitySeen {
  readonly serviceName: string;
  readonly pid: number;
}

export interface NotificationSeen {
  readonly id: number;
  readonly title: string;
  readonly body: string;
}

/** Something of the system that was called, with what can be said of its arguments. */
export interface CallSeen {
  readonly name: string;
  readonly args: readonly unknown[];
}

/** A page to load into a window. */
export interface View {
  readonly window: number;
  /** Where the page really is. */
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

/** The same, with where it says to come from. */
export interface FromPage extends PageMessage {
  readonly url: string;
  readonly isMainFrame: boolean;
}

export interface DialogAsked {
  readonly kind: 'message' | 'open' | 'save' | 'error';
  readonly options: object;
}

/** What a person chose in a dialog. No path means that it was cancelled. */
export interface DialogChoice {
  readonly button: number;
  readonly checked: boolean;
  readonly paths: readonly string[];
}

/** What the double asks of the test, which has the pages and the person before them. */
export interface Stage extends RelayCalls {
  load(view: View): Promise<void>;
  unload(view: { readonly window: number }): Promise<void>;
  reload(view: { readonly window: number }): Promise<void>;
  toPage(message: PageMessage): Promise<void>;
  traySeen(tray: TraySeen | null): void;
  windowSeen(window: WindowSeen): void;
  windowGone(view: { readonly window: number }): void;
  utilitySeen(utility: UtilitySeen): void;
  notificationSeen(notification: NotificationSeen): void;
  callSeen(call: CallSeen): void;
  dialog(asked: DialogAsked): Promise<DialogChoice>;
}

/** What the test asks of the double: what a page, a person or the system does. */
export interface Control extends RelayCalls {
  fromPage(message: FromPage): void;
  invoke(message: FromPage): Promise<unknown>;
  /** The page's document is gone, and with it its ports. */
  pageGone(view: { readonly window: number }): void;
  /** Clicks an item of the tray's menu; the labels lead there. */
  pick(labels: readonly string[]): void;
  clickTray(nothing: null): void;
  clickNotification(notification: { readonly id: number }): void;
  closeWindow(view: { readonly window: number }): void;
  focusWindow(view: { readonly window: number }): void;
  /** An event of `powerMonitor`. Says whether its default was prevented. */
  power(event: { readonly name: string }): boolean;
  /** What the system says of the way to any address, from now on: `DIRECT`, `PROXY host:port` … */
  proxyIs(answer: string): void;
  /** Whether the window may go there. */
  mayNavigate(going: { readonly window: number; readonly url: string }): boolean;
  /** Whether the window may open another one. */
  mayOpen(going: { readonly window: number; readonly url: string }): boolean;
  quit(nothing: null): void;
}
