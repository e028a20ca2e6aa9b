import { app, Menu, type MenuItemConstructorOptions, type WebContents } from 'electron';

/** Actions of the app's menu, besides those that Electron performs itself. */
export interface AppMenuActs {
  /** Opens the window, at one of its addresses if one is given. */
  readonly open: (address?: string) => void;
  readonly quickChat: () => void;
  readonly about: () => void;
  /** Opens the site of the app, after a confirmation; `null` as long as it has none. */
  readonly site: (() => void) | null;
}

type Items = MenuItemConstructorOptions[];
const SEPARATOR: MenuItemConstructorOptions = { type: 'separator' };

/**
 * Sets the menu of the app. macOS shows it at the top of the screen; elsewhere the main window shows it when Alt is pressed, and its
 * shortcuts work at any time.
 */
export function setAppMenu(acts: AppMenuActs): void {
  const template: Items = [
    { label: 'File', submenu: fileItems(acts) },
    { role: 'editMenu' },
    { label: 'View', submenu: viewItems() },
    { role: 'windowMenu' },
    { role: 'help', label: 'Help', submenu: helpItems(acts) },
  ];
  if (isMac()) template.unshift({ role: 'appMenu', submenu: macItems(acts) });
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}

/** The order of Apple's guidelines. */
function macItems(acts: AppMenuActs): Items {
  return [
    { role: 'about' },
    SEPARATOR,
    settings(acts),
    SEPARATOR,
    { role: 'services' },
    SEPARATOR,
    { role: 'hide' },
    { role: 'hideOthers' },
    { role: 'unhide' },
    SEPARATOR,
    { role: 'quit' },
  ];
}

function fileItems(acts: AppMenuActs): Items {
  const items: Items = [
    { label: 'Open Gatehouse', click: () => acts.open() },
    { label: 'Quick chat', click: acts.quickChat },
    SEPARATOR,
  ];
  // Elsewhere it is in the menu of the window.
  if (isMac()) return [...items, { role: 'close' }];
  // The label is the one of the tray, also on Windows. Some desktops show no tray.
  return [...items, settings(acts), SEPARATOR, { role: 'quit', label: 'Quit' }];
}

function settings(acts: AppMenuActs): MenuItemConstructorOptions {
  const click = (): void => acts.open('/settings');
  return { label: 'Settings…', accelerator: 'CommandOrControl+,', click };
}

function viewItems(): Items {
  const items: Items = [
    { role: 'resetZoom' },
    { role: 'zoomIn' },
    { role: 'zoomOut' },
    { role: 'togglefullscreen' },
  ];
  if (app.isPackaged) return items;
  return [...items, { role: 'reload' }, { role: 'forceReload' }, { role: 'toggleDevTools' }];
}

function helpItems(acts: AppMenuActs): Items {
  const site = acts.site === null ? [] : [{ label: 'Gatehouse on the web', click: acts.site }];
  return isMac() ? site : [...site, { label: 'About Gatehouse', click: acts.about }];
}

function isMac(): boolean {
  return process.platform === 'darwin';
}

/** Offers the actions for selected text under the right mouse button, because keys are often pasted that way. */
export function offerEditing(contents: WebContents): void {
  contents.on('context-menu', (_event, { isEditable, selectionText }) => {
    const roles = isEditable
      ? (['cut', 'copy', 'paste', 'selectAll'] as const)
      : (['copy'] as const);
    if (!isEditable && selectionText === '') return;
    Menu.buildFromTemplate(roles.map((role) => ({ role }))).popup();
  });
}
