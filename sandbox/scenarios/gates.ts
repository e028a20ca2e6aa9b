import { EventEmitter, once } from 'node:events';

/** Numbered gates: what waits at one goes on when a request opens it. All are closed at the start of the sandbox. */
export class Gates {
  readonly #opened = new Set<number>();
  readonly #openings = new EventEmitter().setMaxListeners(0);

  isOpen(gate: number): boolean {
    return this.#opened.has(gate);
  }

  open(gate: number): void {
    this.#opened.add(gate);
    this.#openings.emit(String(gate));
  }

  /** Resolves when the gate is open. Rejects when the signal is aborted. */
  async pass(gate: number, signal: AbortSignal): Promise<void> {
    if (!this.isOpen(gate)) await once(this.#openings, String(gate), { signal });
  }
}
