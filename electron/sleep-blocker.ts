import { powerMonitor, powerSaveBlocker } from 'electron';

/** Keeps the system from putting the app to sleep while exchanges run. The screen may go dark, and a closed lid still counts. */
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

/** Calls what belongs to an event of the system's power. A system that shuts down waits a little for the app to end. */
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

/** The typings of Electron do not know of the event that its docs tell of. */
function prevent(event: unknown): void {
  if (typeof event !== 'object' || event === null || !('preventDefault' in event)) return;
  if (typeof event.preventDefault === 'function') event.preventDefault();
}
