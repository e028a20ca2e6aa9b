import type { Problem } from '../../shared/problem.ts';
import { pausedProblem } from '../service-limit/limit-problems.ts';
import { ServiceLimits } from '../service-limit/service-limits.ts';
import type { Emitter } from '../lib/emitter.ts';
import type { ChangedTopic } from './live-event-broadcaster.ts';

interface PauseStateOptions {
  /** Gives the Unix time in milliseconds. */
  readonly now: () => number;
  /** How a person resumes in this shell: the words after “Resume it”. */
  readonly resumeHint: string;
  readonly onChange: () => void;
}

/** Holds since when a person has paused Gatehouse. A start is never paused. */
export class PauseState {
  readonly #options: PauseStateOptions;
  #pausedAt: number | null = null;

  constructor(options: PauseStateOptions) {
    this.#options = options;
  }

  get paused(): boolean {
    return this.#pausedAt !== null;
  }

  /** The time of the pause; `null` while requests are accepted. */
  get pausedAt(): number | null {
    return this.#pausedAt;
  }

  /** Pauses or resumes. A pause of somebody else at the same moment stays as it is, with its time. */
  set(paused: boolean): void {
    if (paused === this.paused) return;
    this.#pausedAt = paused ? this.#options.now() : null;
    this.#options.onChange();
  }

  /** Creates the refusal of a request, which says how to resume. */
  readonly problem = (): Problem => pausedProblem(this.#options.resumeHint);
}

/** Creates the limits of all services, and the pause that empties their queues of clients and orders. */
export function createServiceLimits(
  changes: Emitter<ChangedTopic>,
  {
    waitMs,
    now,
    resumeHint,
  }: { readonly waitMs: number } & Pick<PauseStateOptions, 'now' | 'resumeHint'>,
) {
  const onChange = () => changes.emit('status');
  const pause: PauseState = new PauseState({
    now,
    resumeHint,
    onChange: () => {
      onChange();
      if (pause.paused) serviceLimits.pause();
    },
  });
  const serviceLimits = new ServiceLimits({ waitMs, now, pause, onChange });
  return { pause, serviceLimits };
}
