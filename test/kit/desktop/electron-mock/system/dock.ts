import type { Dock as ElectronDock } from 'electron';
import { StrictMock } from '../strict-mock.ts';
import { note } from '../test-side.ts';

const DEAF_MS = 1_000;
const LATE_MS = 500;

/**
 * The dock of macOS. It passes over a hiding within a second of a showing or of another hiding, and tells late of a change, as the real
 * one does (browser_mac.mm).
 */
export class Dock extends StrictMock implements Pick<ElectronDock, 'hide' | 'isVisible' | 'show'> {
  #visible = true;
  #reported = true;
  #changedAt = -DEAF_MS;

  constructor() {
    super('dock', []);
  }

  isVisible(): boolean {
    return this.#reported;
  }

  async show(): Promise<void> {
    this.#visible = true;
    this.#changedAt = performance.now();
    this.#tellLate();
    note('dock.show');
  }

  hide(): void {
    if (performance.now() - this.#changedAt >= DEAF_MS) this.#visible = false;
    this.#changedAt = performance.now();
    this.#tellLate();
    note('dock.hide', { isVisible: this.#visible });
  }

  #tellLate(): void {
    setTimeout(() => (this.#reported = this.#visible), LATE_MS);
  }
}
