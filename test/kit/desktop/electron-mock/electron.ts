import { app, start } from './app.ts';
import { dialog } from './system/dialog.ts';
import { screen } from './system/displays.ts';
import { strictly } from './strict-mock.ts';
import { showFaults } from './faults.ts';
import { nativeImage } from './system/images.ts';
import { ipcMain } from './ipc.ts';
import { Menu as MockMenu, MenuItem } from './system/menu.ts';
import { autoUpdater, net } from './system/net.ts';
import { MessageChannelMain } from './transport/ports.ts';
import { protocol } from './protocol.ts';
import { session } from './session.ts';
import { globalShortcut } from './system/shortcuts.ts';
import {
  clipboard,
  nativeTheme,
  Notification as MockNotification,
  powerMonitor,
  powerSaveBlocker,
  shell,
} from './system/system.ts';
import { Tray } from './system/tray.ts';
import { utilityProcess } from './utility.ts';
import { BrowserWindow as MockWindow } from './windows.ts';

const BrowserWindow = strictly('BrowserWindow', MockWindow);
const Menu = strictly('Menu', MockMenu);
const Notification = strictly('Notification', MockNotification);

const mocked = {
  app,
  autoUpdater,
  BrowserWindow,
  clipboard,
  dialog,
  globalShortcut,
  ipcMain,
  Menu,
  MenuItem,
  MessageChannelMain,
  nativeImage,
  nativeTheme,
  net,
  Notification,
  powerMonitor,
  powerSaveBlocker,
  protocol,
  screen,
  session,
  shell,
  Tray,
  utilityProcess,
} satisfies { readonly [Name in keyof typeof Electron.CrossProcessExports]?: unknown };
const electron: object = strictly('electron', mocked);

export {
  app,
  autoUpdater,
  BrowserWindow,
  clipboard,
  dialog,
  globalShortcut,
  ipcMain,
  Menu,
  MenuItem,
  MessageChannelMain,
  nativeImage,
  nativeTheme,
  net,
  Notification,
  powerMonitor,
  powerSaveBlocker,
  protocol,
  screen,
  session,
  shell,
  Tray,
  utilityProcess,
};
// `require('electron')` gives the first, a default import the second.
// oxlint-disable-next-line import/no-default-export -- it is Electron's
export { electron as 'module.exports', electron as default };

showFaults();
start();
