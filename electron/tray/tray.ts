import { join } from 'node:path';
import { Menu, nativeTheme, Tray } from 'electron';
import { createTrayMenu, type TrayActions } from './tray-menu.ts';
import {
  type AppState,
  summarizeStatus,
  type StatusSummary,
} from '../../host/status/status-summary.ts';

/** Delay before another menu is set after one was closed, because the click on its item is reported later. In milliseconds. */
const CLICK_MS = 100;

/** The tray icon, its menu and its tooltip. */
export class AppTray {
  readonly #tray: Tray;
  readonly #actions: TrayActions;
  #facts: AppState;
  #shownStatus = '';
  #shown = '';
  /** Whether the menu must not be replaced: it is open, or was a moment ago. */
  #isLocked = false;
  #release: NodeJS.Timeout | undefined;

  constructor(facts: AppState, actions: TrayActions) {
    this.#facts = facts;
    this.#actions = actions;
    this.#tray = new Tray(iconFile(summarizeStatus(facts).level));
    // On macOS a click opens the menu.
    if (process.platform === 'linux') this.#tray.on('click', () => actions.open());
    if (process.platform === 'win32') this.#tray.on('double-click', () => actions.open());
    nativeTheme.on('updated', () =>
      this.#tray.setImage(iconFile(summarizeStatus(this.#facts).level)),
    );
    this.show(facts);
  }

  /** Shows the present state; the menu is updated once it is closed. */
  show(facts: AppState): void {
    this.#facts = facts;
    const { level, title } = summarizeStatus(facts);
    if (this.#shownStatus !== `${level}: ${title}`) {
      this.#shownStatus = `${level}: ${title}`;
      this.#tray.setImage(iconFile(level));
      this.#tray.setToolTip(`Gatehouse: ${title}`);
    }
    if (!this.#isLocked) this.#setMenu();
  }

  /** Linux ignores a change of an item, so the menu is set again. */
  #setMenu(): void {
    const title = JSON.stringify(this.#facts);
    if (title === this.#shown) return;
    this.#shown = title;
    const menu = Menu.buildFromTemplate(createTrayMenu(this.#facts, this.#actions));
    // An open menu must not change under the pointer. Linux reports the opening of a menu, but never its closing.
    if (process.platform !== 'linux') {
      menu.on('menu-will-show', () => this.#lockMenu());
      menu.on('menu-will-close', () => this.#unlockMenu());
    }
    this.#tray.setContextMenu(menu);
  }

  #lockMenu(): void {
    clearTimeout(this.#release);
    this.#isLocked = true;
  }

  #unlockMenu(): void {
    clearTimeout(this.#release);
    this.#release = setTimeout(() => {
      this.#isLocked = false;
      this.#setMenu();
    }, CLICK_MS);
  }
}

/** Icons for the system and its theme; macOS colours a template image itself. */
function iconFile(level: StatusSummary['level']): string {
  return join(import.meta.dirname, 'icons', `tray-${level}${toIconSuffix(process.platform)}`);
}

function toIconSuffix(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return 'Template.png';
  // The taskbar of Windows has a theme of its own.
  return platform === 'win32'
    ? `-${toTheme(nativeTheme.shouldUseDarkColorsForSystemIntegratedUI)}.ico`
    : `-${toTheme(nativeTheme.shouldUseDarkColors)}.png`;
}

function toTheme(isDark: boolean): 'dark' | 'light' {
  return isDark ? 'dark' : 'light';
}
