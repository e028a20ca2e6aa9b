import { resolve } from 'node:path';
import { app, globalShortcut } from 'electron';
import { formatCommandLine } from '../host/process/command-line.ts';
import { findShortcutObstacle } from '../host/desktop-portal.ts';
import type { DesktopState } from '../shared/desktop/desktop-contract.ts';
import { type Shortcut, formatShortcut } from '../shared/desktop/shortcut.ts';
import { APP_ID } from './app-id.ts';
import type { WindowStateFile } from './window/window-state.ts';

/** Makes a running app show or hide its quick chat, on systems that do not let programs have shortcuts. */
export const QUICK = '--quick-chat';

const NO_PORTAL = 'This desktop offers programs no shortcuts.';
const NOT_INSTALLED =
  'Newer desktops give shortcuts only to programs that are installed as a package, and this copy is not.';
const ASKED =
  'On Wayland the desktop may ask you to allow it, or give it other keys, which its own settings show. Gatehouse is not told.';
const BY_HAND =
  'You can set a shortcut in the settings of the desktop itself instead. Have it run this command:';

type QuickChat = DesktopState['quickChat'];

/** The global shortcut of the quick chat: stored, and registered while the app runs. There is none unless a person sets one. */
export class QuickShortcut {
  readonly #windowState: WindowStateFile;
  readonly #onPress: () => void;
  /** Why the system refused the stored one, a sentence. */
  #refusal: string | null = null;

  constructor(windowState: WindowStateFile, onPress: () => void) {
    this.#windowState = windowState;
    this.#onPress = onPress;
    const { quickShortcut } = windowState.current;
    if (quickShortcut !== null) this.#refusal = this.#register(quickShortcut);
  }

  /** The shortcut and its state. `command` is the alternative where the system may not provide it. */
  get state(): QuickChat {
    const shortcut = this.#windowState.current.quickShortcut;
    if (!isWayland()) return { shortcut, sentence: this.#refusal, command: null };
    const known = this.#refusal ?? describeObstacle() ?? (shortcut === null ? null : ASKED);
    return known === null
      ? { shortcut, sentence: null, command: null }
      : { shortcut, sentence: `${known} ${BY_HAND}`, command: quickCommand() };
  }

  /** Sets another shortcut, or none. Returns why the system refused it, a sentence; the previous one is kept then. */
  set(shortcut: Shortcut | null): string | null {
    const before = this.#windowState.current.quickShortcut;
    const refusal = shortcut === null ? null : this.#register(shortcut);
    if (refusal !== null) return refusal;
    if (before !== null && before !== shortcut) globalShortcut.unregister(before);
    this.#refusal = null;
    this.#windowState.update({ quickShortcut: shortcut });
    return null;
  }

  /** A portal never unregisters keys, so the previous ones may still be pressed, and work when they are set again. */
  #register(shortcut: Shortcut): string | null {
    const press = (): void => {
      if (this.#windowState.current.quickShortcut === shortcut) this.#onPress();
    };
    if (globalShortcut.isRegistered(shortcut) || globalShortcut.register(shortcut, press)) {
      return null;
    }
    const label = formatShortcut(shortcut, process.platform);
    return isWayland()
      ? `The desktop did not give Gatehouse ${label}. ${describeObstacle() ?? 'It does not say why.'}`
      : `${label} belongs to another program, or to the system. Choose another, or free it there.`;
  }
}

function describeObstacle(): string | null {
  switch (findShortcutObstacle(process.env, APP_ID)) {
    case 'no-portal':
      return NO_PORTAL;
    case 'not-installed':
      return NOT_INSTALLED;
    case null:
      return null;
  }
}

/** Starts this copy with this data folder: another copy, or one with another folder, would be another app. */
function quickCommand(): string {
  const dataDir = process.env['GATEHOUSE_DATA_DIR'] ?? '';
  const named = dataDir === '' ? [] : ['env', `GATEHOUSE_DATA_DIR=${resolve(dataDir)}`];
  const program = app.isPackaged
    ? [process.env['APPIMAGE'] ?? process.execPath]
    : [process.execPath, app.getAppPath()];
  return formatCommandLine([...named, ...program, QUICK]);
}

/** With a portal, the result of a registration says only that it was requested (electron/electron#52218). */
function isWayland(): boolean {
  return process.platform === 'linux' && (process.env['WAYLAND_DISPLAY'] ?? '') !== '';
}
