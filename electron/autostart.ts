import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { app } from 'electron';
import type { DesktopState } from '../shared/desktop-contract.ts';

/** Says to an app that the system starts it, and nobody waits for its window. */
export const HIDDEN = '--hidden';

type StartAtLogin = DesktopState['startAtLogin'];

/** Whether the app starts at login, and whether that can be set here. */
export function readStartAtLogin(): StartAtLogin {
  if (!app.isPackaged) {
    return { on: false, sentence: 'Only an installed Gatehouse can start at login.' };
  }
  if (process.platform === 'linux') return { on: isOn(readEntry()), sentence: null };
  const { openAtLogin, status } = app.getLoginItemSettings({ args: [HIDDEN] });
  const asks = process.platform === 'darwin' && status === 'requires-approval';
  const sentence = asks ? 'Allow it in System Settings, General, Login Items.' : null;
  return { on: openAtLogin && !asks, sentence };
}

/** Has the system start the app at login, or not any more. */
export function setStartAtLogin(on: boolean): void {
  if (process.platform !== 'linux') {
    app.setLoginItemSettings({ openAtLogin: on, args: [HIDDEN] });
  } else if (on) {
    mkdirSync(dirname(entryFile()), { recursive: true });
    writeFileSync(entryFile(), autostartEntry(process.env['APPIMAGE'] ?? process.execPath));
  } else {
    rmSync(entryFile(), { force: true });
  }
}

/** The autostart entry of a program, by the Desktop Entry Specification. */
export function autostartEntry(program: string): string {
  // Quoted as an argument, then escaped as a text: each backslash of the quoting stands twice.
  const quoted = program.replaceAll(/["`$\\]/gu, String.raw`\$&`).replaceAll('%', '%%');
  const exec = `"${quoted}" ${HIDDEN}`.replaceAll('\\', String.raw`\\`);
  return `[Desktop Entry]
Type=Application
Name=Gatehouse
Comment=A local gateway for one account at a remote model service
Exec=${exec}
Icon=gatehouse
Terminal=false
X-GNOME-Autostart-enabled=true
`;
}

/** Desktops switch an entry off in place. */
function isOn(entry: string): boolean {
  return entry !== '' && !/^(?:Hidden=true|X-GNOME-Autostart-enabled=false)\s*$/imu.test(entry);
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
