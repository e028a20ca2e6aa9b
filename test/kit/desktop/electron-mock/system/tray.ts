import type { Tray as ElectronTray } from 'electron';
import { StrictMock } from '../strict-mock.ts';
import { itemAt, linesOf, type Menu } from './menu.ts';
import type { NativeImage } from './images.ts';
import { afterReady } from '../readiness.ts';
import { answers, note, stage } from '../test-side.ts';

/** The app has one; a tray that nobody holds would go with the garbage. */
const trays = new Set<Tray>();

export class Tray
  extends StrictMock
  implements
    Pick<ElectronTray, 'destroy' | 'getBounds' | 'isDestroyed' | 'setTitle' | 'setToolTip'>
{
  #image: string;
  #toolTip = '';
  #menu: Menu | null = null;
  /** The menu that a person reads. */
  #opened: Menu | null = null;
  /** The lines as they were set, whatever becomes of the items afterwards. */
  #lines: ReturnType<typeof linesOf> = [];
  #destroyed = false;

  constructor(image: NativeImage | string) {
    afterReady('Tray cannot be created');
    super('Tray', ['click', 'double-click', 'right-click', 'mouse-move', 'balloon-click']);
    this.#image = nameOf(image);
    trays.add(this);
    this.#show();
  }

  setImage(image: NativeImage | string): void {
    this.#image = nameOf(image);
    this.#show();
  }

  setToolTip(toolTip: string): void {
    this.#toolTip = toolTip;
    this.#show();
  }

  /** Beside the icon, on macOS only. */
  setTitle(): void {
    if (process.platform !== 'darwin') throw new Error('Tray.setTitle is for macOS.');
  }

  setContextMenu(menu: Menu | null): void {
    this.#menu = menu;
    this.#lines = menu === null ? [] : linesOf(menu);
    this.#show();
  }

  getBounds(): Electron.Rectangle {
    return { x: 0, y: 0, width: 24, height: 24 };
  }

  isDestroyed(): boolean {
    return this.#destroyed;
  }

  destroy(): void {
    this.#destroyed = true;
    trays.delete(this);
    stage.tell('traySeen', null);
  }

  /** Opens the menu, or closes it without a choice. Linux tells of the opening only. */
  static menuEvent(tray: Tray, event: 'menu-will-show' | 'menu-will-close'): void {
    const opens = event === 'menu-will-show';
    const menu = opens ? tray.#menu : tray.#opened;
    tray.#opened = opens ? menu : null;
    if (opens || process.platform !== 'linux') menu?.emit(event, {});
  }

  /**
   * Chooses an item of the menu that is open, or of the one that opens now. Off Linux the menu tells of its closing before its item is clicked,
   * and to set another menu in between frees the object that the click goes to (electron_menu_controller.mm, tray_icon_cocoa.mm): it is lost.
   */
  static async pick(tray: Tray, labels: readonly string[]): Promise<void> {
    if (tray.#opened === null || process.platform === 'linux') {
      Tray.menuEvent(tray, 'menu-will-show');
    }
    const menu = tray.#opened;
    if (menu === null) throw new Error('The tray has no menu.');
    const item = itemAt(menu, labels);
    Tray.menuEvent(tray, 'menu-will-close');
    // Promises that a listener has resolved go on before the click does.
    await Promise.resolve();
    if (process.platform === 'linux' || tray.#menu === menu) item.click();
    else note('Tray: the click is lost', ...labels);
  }

  #show(): void {
    if (this.#destroyed) throw new Error('Tray is destroyed');
    stage.tell('traySeen', { image: this.#image, toolTip: this.#toolTip, menu: this.#lines });
  }
}

function nameOf(image: NativeImage | string): string {
  return typeof image === 'string' ? image : image.file;
}

function theTray(): Tray {
  const [tray] = trays;
  if (tray === undefined) throw new Error('There is no tray.');
  return tray;
}

answers.pick = (labels) => Tray.pick(theTray(), labels);
answers.clickTray = () => void theTray().emit('click', {}, {}, {});
answers.menu = (event) => Tray.menuEvent(theTray(), event);
