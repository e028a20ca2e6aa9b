import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { app, type LoginItemSettings } from 'electron';
import { autostartEntry, isEntryOn, renewedEntry } from '../hosting/autostart-entry.ts';
import type { DesktopState } from '../shared/desktop-contract.ts';

/** Says to an app that the system starts it, and nobody waits for its window. */
export const HIDDEN = '--hidden';

const SWITCHED_OFF =
  'It was switched off in Task Manager or in the settings of Windows. Switching it on here switches it on there, too.';

type StartAtLogin = DesktopState['startAtLogin'];

/** Whether the app starts at login, and whether that can be set here. */
export function readStartAtLogin(): StartAtLogin {
  if (!app.isPackaged) {
    return {
      on: false,
      settable: false,
      sentence: 'Only an installed Gatehouse can start at login.',
    };
  }
  if (process.platform === 'linux') {
    return { on: isEntryOn(readEntry()), settable: true, sentence: null };
  }
  const settings = app.getLoginItemSettings({ args: [HIDDEN] });
  return process.platform === 'darwin' ? asOnMac(settings) : asOnWindows(settings);
}

function asOnMac({ openAtLogin, status }: LoginItemSettings): StartAtLogin {
  return status === 'requires-approval'
    ? { on: false, settable: false, sentence: 'Allow it in System Settings, General, Login Items.' }
    : { on: openAtLogin, settable: true, sentence: null };
}

/** Windows has a switch of its own for each program that is to be started. To set it on here sets that one on, too. */
function asOnWindows({
  openAtLogin,
  executableWillLaunchAtLogin,
}: LoginItemSettings): StartAtLogin {
  const isOff = openAtLogin && !executableWillLaunchAtLogin;
  return { on: openAtLogin && !isOff, settable: true, sentence: isOff ? SWITCHED_OFF : null };
}

/** Has the system start the app at login, or not any more. */
export function setStartAtLogin(on: boolean): void {
  if (process.platform !== 'linux') {
    app.setLoginItemSettings({ openAtLogin: on, args: [HIDDEN] });
  } else if (on) {
    mkdirSync(dirname(entryFile()), { recursive: true });
    writeFileSync(entryFile(), autostartEntry(process.env['APPIMAGE'] ?? process.execPath, HIDDEN));
  } else {
    rmSync(entryFile(), { force: true });
  }
}

/** An update gives the file of an AppImage the name of its version: what the system starts follows it. */
export function renewStartAtLogin(): void {
  const file = process.env['APPIMAGE'];
  const entry = readEntry();
  if (!app.isPackaged || file === undefined || !isEntryOn(entry)) return;
  const renewed = renewedEntry(entry, file, HIDDEN);
  try {
    if (renewed !== entry) writeFileSync(entryFile(), renewed);
  } catch {
    // Nothing that the app could not start without.
  }
}

/** In $XDG_CONFIG_HOME, which Electron knows. */
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
