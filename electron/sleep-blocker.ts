import { powerMonitor, powerSaveBlocker } from 'electron';

/** Keeps the system from suspending while exchanges run. The screen may turn off, and closing the lid still suspends. */
export class SleepBlocker {
  #blocker: number | null = null;

  update(running: number): void {
    if (running > 0 && this.#blocker === null) {
      this.#blocker = powerSaveBlocker.start('prevent-app-suspension');
    }
    if (running === 0 && this.#blocker !== null) {
      powerSaveBlocker.stop(this.#blocker);
      this.#blocker = null;
    }
  }
}

/** Calls the handlers of the system's power events. A system that shuts down waits a little for the app to end. */
export function onPower(
  calls: Readonly<Record<'suspend' | 'resume' | 'shutdown', () => void>>,
): void {
  powerMonitor.on('suspend', calls.suspend);
  powerMonitor.on('resume', calls.resume);
  powerMonitor.on('shutdown', (...[event]: readonly unknown[]) => {
    prevent(event);
    calls.shutdown();
  });
}

/** Electron's type definitions lack this documented event. */
function prevent(event: unknown): void {
  if (typeof event !== 'object' || event === null || !('preventDefault' in event)) return;
  if (typeof event.preventDefault === 'function') event.preventDefault();
}
