import { join } from 'node:path';
import { Menu, nativeTheme, Tray } from 'electron';
import { trayMenu, type TrayActs } from './tray-menu.ts';
import { type Facts, glanceAt, type Glance } from '../hosting/glance.ts';

/** The icon in the tray, its menu and its words. */
export class AppTray {
  readonly #tray: Tray;
  readonly #acts: TrayActs;
  #facts: Facts;
  #shown = '';
  #open = false;

  constructor(facts: Facts, acts: TrayActs) {
    this.#facts = facts;
    this.#acts = acts;
    this.#tray = new Tray(iconFile(glanceAt(facts).mood));
    // On macOS a click opens the menu.
    if (process.platform === 'linux') this.#tray.on('click', () => acts.open());
    if (process.platform === 'win32') this.#tray.on('double-click', () => acts.open());
    nativeTheme.on('updated', () => this.#tray.setImage(iconFile(glanceAt(this.#facts).mood)));
    this.show(facts);
  }

  /** Shows the state as it is now. */
  show(facts: Facts): void {
    this.#facts = facts;
    const words = JSON.stringify(facts);
    if (this.#open || words === this.#shown) return;
    this.#shown = words;
    const state = glanceAt(facts);
    this.#tray.setImage(iconFile(state.mood));
    this.#tray.setToolTip(`Gatehouse: ${state.words}`);
    // Linux sees no change of an item: the menu is set anew.
    const menu = Menu.buildFromTemplate(trayMenu(facts, this.#acts));
    // A menu that is being read must not change under the pointer. Linux tells of one that opens, and never that it has closed.
    if (process.platform !== 'linux') {
      menu.on('menu-will-show', () => (this.#open = true));
      menu.on('menu-will-close', () => this.#closed());
    }
    this.#tray.setContextMenu(menu);
  }

  #closed(): void {
    this.#open = false;
    this.show(this.#facts);
  }
}

/** Drawn for the system and its theme; macOS paints a template itself. */
function iconFile(mood: Glance['mood']): string {
  const theme = nativeTheme.shouldUseDarkColors ? 'dark' : 'light';
  const { platform } = process;
  const drawn =
    platform === 'darwin' ? 'Template.png' : `-${theme}.${platform === 'win32' ? 'ico' : 'png'}`;
  return join(import.meta.dirname, 'icons', `tray-${mood}${drawn}`);
}
