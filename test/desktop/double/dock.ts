import type { Dock as ElectronDock } from 'electron';
import { Doubled } from './doubled.ts';
import { note } from './test-side.ts';

const DEAF_MS = 1_000;

/** The dock of macOS. It passes over a hiding within a second of a showing or of another hiding, as the real one does. */
export class Dock extends Doubled implements Pick<ElectronDock, 'hide' | 'isVisible' | 'show'> {
  #visible = true;
  #changedAt = -DEAF_MS;

  constructor() {
    super('dock', []);
  }

  isVisible(): boolean {
    return this.#visible;
  }

  async show(): Promise<void> {
    this.#visible = true;
    this.#changedAt = performance.now();
    note('dock.show');
  }

  hide(): void {
    if (performance.now() - this.#changedAt >= DEAF_MS) this.#visible = false;
    this.#changedAt = performance.now();
    note('dock.hide', { isVisible: this.#visible });
  }
}
