import { app, Menu, type MenuItemConstructorOptions } from 'electron';

/** The menu of the app: what macOS shows at the top of the screen, and elsewhere only its keys. */
export function setAppMenu(): void {
  const view: MenuItemConstructorOptions[] = [
    { role: 'resetZoom' },
    { role: 'zoomIn' },
    { role: 'zoomOut' },
    { role: 'togglefullscreen' },
  ];
  if (!app.isPackaged) view.push({ role: 'toggleDevTools' });
  const template: MenuItemConstructorOptions[] = [
    { role: 'editMenu' },
    { label: 'View', submenu: view },
    { role: 'windowMenu' },
  ];
  if (process.platform === 'darwin') template.unshift({ role: 'appMenu' });
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}
