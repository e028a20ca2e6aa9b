import type { ExchangeFacts } from '../batch.ts';
import type { PlacedStep } from './report-step.ts';

/** A step of an exchange of this process that was given its place in a run. */
export interface WatchedStep extends Omit<PlacedStep, 'id'> {
  readonly clientId: string;
  readonly clientName: string;
  /** When its request came, in milliseconds of the monotonic clock. */
  readonly at: number;
}

type Watched = Pick<WatchedStep, 'clientId' | 'clientName' | 'at'>;

/** Beyond it the oldest is forgotten: exchanges that get no place are never taken out. */
const MAX_WATCHED = 5_000;

/** Remembers the exchanges of this process until they get their place in a run. Each is reported once. */
export class WatchedSteps {
  readonly #watched = new Map<string, Watched>();

  /** Remembers an exchange whose bodies will be stored, if it asked a model for an answer and was sent. */
  add({ id, clientId, openedAt, isSent, step }: ExchangeFacts): void {
    if (step === null || clientId === null || !isSent) return;
    this.#watched.set(id, { clientId, clientName: step.clientName ?? clientId, at: openedAt });
    if (this.#watched.size <= MAX_WATCHED) return;
    for (const oldest of this.#watched.keys()) {
      this.#watched.delete(oldest);
      break;
    }
  }

  /** Returns the placed steps of exchanges that were remembered, and forgets these exchanges. */
  take(placed: readonly PlacedStep[]): WatchedStep[] {
    return placed.flatMap(({ id, ...step }) => {
      const watched = this.#watched.get(id);
      this.#watched.delete(id);
      return watched === undefined ? [] : [{ ...step, ...watched }];
    });
  }
}
