import type { ExchangeFacts } from '../batch.ts';
import type { PlacedStep } from './report-step.ts';

/** A step of an exchange of this process that was given its place in a run. */
export interface WatchedStep extends Omit<PlacedStep, 'id' | 'tools'> {
  readonly clientId: string;
  readonly clientName: string;
  /** When its request came, in milliseconds of the monotonic clock. */
  readonly at: number;
}

type Watched = Pick<WatchedStep, 'clientId' | 'clientName' | 'at'>;

/** Exchanges that get no place are never taken out. Beyond this number the older ones are forgotten, half of all at once. */
const MAX_NEWER = 5_000;

/** Remembers the exchanges of this process, at least the latest 5,000, until they get their place in a run. Each is reported once. */
export class WatchedSteps {
  #older = new Map<string, Watched>();
  #newer = new Map<string, Watched>();

  /** Remembers an exchange whose bodies will be stored, if it asked a model for an answer and was sent. */
  add({ id, clientId, openedAt, isSent, step }: ExchangeFacts): void {
    if (step === null || clientId === null || !isSent) return;
    if (this.#newer.size >= MAX_NEWER) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(id, { clientId, clientName: step.clientName ?? clientId, at: openedAt });
  }

  /** Returns the placed steps of exchanges that were remembered, and forgets these exchanges. */
  take(placed: readonly PlacedStep[]): WatchedStep[] {
    return placed.flatMap(({ id, tools: _tools, ...step }) => {
      const watched = this.#newer.get(id) ?? this.#older.get(id);
      this.#newer.delete(id);
      this.#older.delete(id);
      return watched === undefined ? [] : [{ ...step, ...watched }];
    });
  }
}
