import { ServiceLimits } from '../service-limit/service-limits.ts';
import type { Emitter } from '../lib/emitter.ts';
import type { ChangedTopic } from './live-events.ts';

/** Whether clients are turned away for now. A start is never paused. */
export class PauseState {
  readonly #onFlip: () => void;
  #paused = false;

  constructor(onFlip: () => void) {
    this.#onFlip = onFlip;
  }

  get paused(): boolean {
    return this.#paused;
  }

  set(paused: boolean): void {
    if (paused === this.#paused) return;
    this.#paused = paused;
    this.#onFlip();
  }
}

/** The limits, and the pause that ends the waiting of clients and of orders. */
export function createServiceLimits(
  changes: Emitter<ChangedTopic>,
  { waitMs, now }: { readonly waitMs: number; readonly now: () => number },
) {
  const onChange = () => changes.emit('status');
  const isPaused = () => pause.paused;
  const serviceLimits = new ServiceLimits({ waitMs, now, paused: isPaused, onChange });
  const pause = new PauseState(() => {
    onChange();
    if (pause.paused) serviceLimits.pause();
  });
  return { pause, serviceLimits };
}
