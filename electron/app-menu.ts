import { app, Menu, type MenuItemConstructorOptions, type WebContents } from 'electron';

/** The menu of the app: what macOS shows at the top of the screen, and elsewhere only its keys. */
export function setAppMenu(): void {
  const view: MenuItemConstructorOptions[] = [
    { role: 'resetZoom' },
    { role: 'zoomIn' },
    { role: 'zoomOut' },
    { role: 'togglefullscreen' },
  ];
  if (!app.isPackaged) {
    view.push({ role: 'reload' }, { role: 'forceReload' }, { role: 'toggleDevTools' });
  }
  const template: MenuItemConstructorOptions[] = [
    { role: 'editMenu' },
    { label: 'View', submenu: view },
    { role: 'windowMenu' },
  ];
  if (process.platform === 'darwin') template.unshift({ role: 'appMenu' });
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}

/** Offers what can be done with a text under the right mouse button: a key is often pasted so. */
export function offerEditing(contents: WebContents): void {
  contents.on('context-menu', (_event, { isEditable, selectionText }) => {
    const roles = isEditable
      ? (['cut', 'copy', 'paste', 'selectAll'] as const)
      : (['copy'] as const);
    if (!isEditable && selectionText === '') return;
    Menu.buildFromTemplate(roles.map((role) => ({ role }))).popup();
  });
}
