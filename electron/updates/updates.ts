import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { app } from 'electron';
import { autoUpdater } from 'electron-updater';
import type { UpdateState } from '../../shared/desktop/desktop-contract.ts';
import { nextUpdateState, type UpdateEvent } from './update-state.ts';

const MAX_REASON_LENGTH = 160;

/** Returns why this copy cannot update itself, and how it is updated instead; `null` when it can. */
function updatesUnavailableReason(): string | null {
  if (!app.isPackaged) return 'This copy runs from its sources, and is as new as they are.';
  if (process.platform === 'linux' && process.env['APPIMAGE'] === undefined) {
    return 'This copy was installed as a package of the system: install the newer package to update it.';
  }
  return existsSync(join(process.resourcesPath, 'app-update.yml'))
    ? null
    : 'This copy was made without a place that newer ones come from.';
}

/** Updates the app. Nothing is checked, downloaded or restarted before a person asks for it. */
export class Updates {
  readonly #onState: (state: UpdateState) => void;
  readonly #leave: (when: 'idle' | 'now', end: () => void) => void;
  #state: UpdateState;
  #running = 0;
  #waits = false;

  /** `leave` closes what runs, then calls `end`. */
  constructor(
    first: UpdateState,
    onState: (state: UpdateState) => void,
    leave: (when: 'idle' | 'now', end: () => void) => void,
  ) {
    this.#state = first;
    this.#onState = onState;
    this.#leave = leave;
    if (first.name === 'off') return;
    autoUpdater.autoDownload = false;
    autoUpdater.autoInstallOnAppQuit = false;
    autoUpdater.logger = null;
    autoUpdater.on('download-progress', ({ percent }) =>
      this.#apply({ name: 'progress', percent }),
    );
    // The rejection is reported to the caller.
    autoUpdater.on('error', () => undefined);
  }

  /** Checks for a newer version. Never rejects: the state contains the result. */
  async check(): Promise<void> {
    if (!this.#apply({ name: 'check' })) return;
    try {
      const found = await autoUpdater.checkForUpdates();
      if (found?.isUpdateAvailable === true) {
        this.#apply({ name: 'found', version: found.updateInfo.version });
      } else this.#apply({ name: 'none', at: Date.now() });
    } catch (error) {
      this.#fail('The check failed', error);
    }
  }

  /** Downloads the newer version. Never rejects: the state contains the result. */
  async download(): Promise<void> {
    if (!this.#apply({ name: 'download' })) return;
    try {
      await autoUpdater.downloadUpdate();
      this.#apply({ name: 'downloaded' });
    } catch (error) {
      this.#fail('The update was not downloaded', error);
    }
  }

  /** Restarts into the downloaded version: once no exchange runs, or at once. */
  restart(when: 'idle' | 'now'): void {
    if (this.#state.name !== 'ready') return;
    this.#waits = when === 'idle' && this.#running > 0;
    if (!this.#waits) this.#leave(when, install);
  }

  /** Is called with the number of running exchanges. */
  onRunningChange(running: number): void {
    this.#running = running;
    if (this.#waits) this.restart('idle');
  }

  /** Applies an event; returns whether it changed the state. */
  #apply(event: UpdateEvent): boolean {
    const before = this.#state;
    this.#state = nextUpdateState(before, event);
    if (this.#state === before) return false;
    this.#onState(this.#state);
    return true;
  }

  #fail(what: string, error: unknown): void {
    this.#apply({ name: 'failed', sentence: `${what}: ${describeUpdateError(error)}` });
  }
}

/** Installs and starts the new version, or starts the old one again if that fails. */
function install(): void {
  autoUpdater.once('error', () => {
    const file = process.env['APPIMAGE'];
    // The mounted program of an AppImage disappears with this run, so its file is started, which extracts itself where mounting is not
    // possible yet.
    if (file === undefined) app.relaunch();
    else app.relaunch({ execPath: file, args: ['--appimage-extract-and-run'] });
    app.exit(1);
  });
  // The new app may start before this one has ended.
  app.releaseSingleInstanceLock();
  autoUpdater.quitAndInstall(true, true);
}

function describeUpdateError(error: unknown): string {
  if (Object(error).code === 'ERR_CHECKSUM_MISMATCH') {
    return 'the file is not the one that was published, and is not used.';
  }
  const [line = ''] = String(Object(error).message ?? error).split('\n');
  return line.length <= MAX_REASON_LENGTH ? line : `${line.slice(0, MAX_REASON_LENGTH - 1)}…`;
}

export function initialUpdateState(): UpdateState {
  const sentence = updatesUnavailableReason();
  return sentence === null ? { name: 'idle', checkedAt: null } : { name: 'off', sentence };
}
