import type {
  Menu as ElectronMenu,
  MenuItem as ElectronMenuItem,
  MenuItemConstructorOptions,
} from 'electron';
import { app } from '../app.ts';
import { StrictMock, strictly } from '../strict-mock.ts';
import type { MenuLine } from '../transport/messages.ts';
import { answers, note } from '../test-side.ts';

/** An item as it was made. What is changed later is not seen, as on Linux. */
export class MenuItem implements Pick<
  ElectronMenuItem,
  'checked' | 'enabled' | 'id' | 'label' | 'type' | 'visible'
> {
  readonly #click: () => void;
  readonly id: string;
  readonly label: string;
  readonly type: MenuLine['type'];
  readonly enabled: boolean;
  readonly visible: boolean;
  readonly checked: boolean;
  readonly submenu: Menu | undefined;

  constructor(options: MenuItemConstructorOptions) {
    const { submenu } = options;
    if (submenu !== undefined && !Array.isArray(submenu) && !(submenu instanceof Menu)) {
      throw new TypeError('Invalid submenu');
    }
    this.submenu = Array.isArray(submenu) ? Menu.buildFromTemplate(submenu) : submenu;
    this.type = options.type ?? (this.submenu === undefined ? 'normal' : 'submenu');
    this.id = options.id ?? '';
    this.label = options.label ?? labelOf(options.role ?? '');
    if (this.label === '' && this.type !== 'separator') {
      throw new TypeError('Invalid template for MenuItem: must have label, role or type');
    }
    this.enabled = options.enabled ?? true;
    this.visible = options.visible ?? true;
    this.checked = options.checked ?? false;
    this.#click = () => {
      const item = strictly('MenuItem', this);
      if (options.click !== undefined)
        Reflect.apply(options.click, undefined, [item, undefined, {}]);
      if (options.role === 'quit') app.quit();
    };
  }

  /** Chooses the item, as a person can: only when it is enabled. */
  click(): void {
    if (!this.enabled) throw new Error(`The item '${this.label}' is not enabled.`);
    this.#click();
  }
}

/** Electron names some after the app, and the others as below or by their role. */
function labelOf(role: string): string {
  const { platform } = process;
  switch (role) {
    case 'appMenu':
      return app.name;
    case 'about':
      return platform === 'linux' ? 'About' : `About ${app.name}`;
    case 'hide':
      return `Hide ${app.name}`;
    case 'quit':
      if (platform === 'darwin') return `Quit ${app.name}`;
      return platform === 'win32' ? 'Exit' : 'Quit';
    default:
      return role;
  }
}

export class Menu extends StrictMock implements Pick<ElectronMenu, never> {
  readonly items: MenuItem[] = [];

  constructor() {
    super('Menu', ['menu-will-show', 'menu-will-close']);
  }

  static buildFromTemplate(template: readonly (MenuItemConstructorOptions | MenuItem)[]): Menu {
    const menu = new Menu();
    for (const item of template) menu.append(item instanceof MenuItem ? item : new MenuItem(item));
    return menu;
  }

  static setApplicationMenu(menu: Menu | null): void {
    applicationMenu = menu;
    note('Menu.setApplicationMenu', menu === null ? null : linesOf(menu));
  }

  append(item: MenuItem): void {
    this.items.push(item);
  }
}

let applicationMenu: Menu | null = null;

answers.pickOfApp = (labels) => {
  if (applicationMenu === null) throw new Error('The app has no menu.');
  itemAt(applicationMenu, labels).click();
};

/** The menu as it is now. */
export function linesOf(menu: Menu): readonly MenuLine[] {
  return menu.items
    .filter((item) => item.visible)
    .map(({ type, label, enabled, checked, submenu }) => ({
      type,
      label,
      enabled,
      checked,
      submenu: submenu === undefined ? [] : linesOf(submenu),
    }));
}

/** The item that the labels lead to, one menu after the other. */
export function itemAt(menu: Menu, [label, ...rest]: readonly string[]): MenuItem {
  const item = menu.items.find((each) => each.label === label && each.visible);
  if (item === undefined) {
    const there = menu.items.map((each) => each.label).join(' | ');
    throw new Error(`No item '${label ?? ''}' in the menu: ${there}`);
  }
  if (rest.length === 0) return item;
  if (item.submenu === undefined) throw new Error(`'${item.label}' has no menu of its own.`);
  return itemAt(item.submenu, rest);
}
