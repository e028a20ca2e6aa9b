import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { app, type LoginItemSettings } from 'electron';
import {
  formatAutostartEntry,
  isEntryEnabled,
  updateAutostartEntry,
} from '../host/autostart-entry.ts';
import type { DesktopState } from '../shared/desktop/desktop-contract.ts';

/** Tells an app that the system starts it, so that it opens no window. */
export const HIDDEN_ARGUMENT = '--hidden';

const SWITCHED_OFF =
  'It was switched off in Task Manager or in the settings of Windows. Switching it on here switches it on there, too.';

type StartAtLogin = DesktopState['startAtLogin'];

/** Manages whether the app starts at login, and whether that can be set here. */
export function readStartAtLogin(): StartAtLogin {
  if (!app.isPackaged) {
    return {
      on: false,
      settable: false,
      sentence: 'Only an installed Gatehouse can start at login.',
    };
  }
  if (process.platform === 'linux') {
    return { on: isEntryEnabled(readEntry()), settable: true, sentence: null };
  }
  const settings = app.getLoginItemSettings({ args: [HIDDEN_ARGUMENT] });
  return process.platform === 'darwin' ? fromMacSettings(settings) : fromWindowsSettings(settings);
}

function fromMacSettings({ openAtLogin, status }: LoginItemSettings): StartAtLogin {
  return status === 'requires-approval'
    ? { on: false, settable: false, sentence: 'Allow it in System Settings, General, Login Items.' }
    : { on: openAtLogin, settable: true, sentence: null };
}

/** Windows has a switch of its own for each program that starts at login. Enabling it here enables that one, too. */
function fromWindowsSettings({
  openAtLogin,
  executableWillLaunchAtLogin,
}: LoginItemSettings): StartAtLogin {
  const isOff = openAtLogin && !executableWillLaunchAtLogin;
  return { on: openAtLogin && !isOff, settable: true, sentence: isOff ? SWITCHED_OFF : null };
}

/** Makes the system start the app at login, or stops that. */
export function setStartAtLogin(on: boolean): void {
  if (process.platform !== 'linux') {
    app.setLoginItemSettings({ openAtLogin: on, args: [HIDDEN_ARGUMENT] });
  } else if (on) {
    mkdirSync(dirname(entryFile()), { recursive: true });
    writeFileSync(
      entryFile(),
      formatAutostartEntry(process.env['APPIMAGE'] ?? process.execPath, HIDDEN_ARGUMENT),
    );
  } else {
    rmSync(entryFile(), { force: true });
  }
}

/** Updates the entry after an update of an AppImage, whose file name contains its version. */
export function updateStartAtLogin(): void {
  const file = process.env['APPIMAGE'];
  const entry = readEntry();
  if (!app.isPackaged || file === undefined || !isEntryEnabled(entry)) return;
  const renewed = updateAutostartEntry(entry, file, HIDDEN_ARGUMENT);
  try {
    if (renewed !== entry) writeFileSync(entryFile(), renewed);
  } catch {
    // The app works without it.
  }
}

/** The folder is in $XDG_CONFIG_HOME, which Electron reads. */
function entryFile(): string {
  return join(app.getPath('appData'), 'autostart', 'gatehouse.desktop');
}

function readEntry(): string {
  try {
    return readFileSync(entryFile(), 'utf8');
  } catch {
    // There is none.
    return '';
  }
}
