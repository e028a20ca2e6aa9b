import { ServiceLimits } from '../service-limit/service-limits.ts';
import type { Emitter } from '../lib/emitter.ts';
import type { ChangedTopic } from './live-events.ts';

/** Holds whether a person has paused Gatehouse. A start is never paused. */
export class PauseState {
  readonly #onChange: () => void;
  #paused = false;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get paused(): boolean {
    return this.#paused;
  }

  set(paused: boolean): void {
    if (paused === this.#paused) return;
    this.#paused = paused;
    this.#onChange();
  }
}

/** Creates the limits of all services, and the pause that empties their queues of clients and orders. */
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
