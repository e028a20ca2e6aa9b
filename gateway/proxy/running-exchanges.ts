import type { RunningExchange } from '../../shared/history/history.ts';
import { findSubagent, type InFlightExchange } from './in-flight-exchange.ts';

/**
 * The exchanges in flight, oldest first. They are in an array: V8 copies a `Set` after many additions and deletions and links each old
 * copy to the new one, so that an old copy among the long-lived objects kept everything of all later exchanges until the next full
 * garbage collection.
 */
export class InFlightExchanges implements Iterable<InFlightExchange> {
  readonly #all: InFlightExchange[] = [];

  get size(): number {
    return this.#all.length;
  }

  add(inFlight: InFlightExchange): void {
    this.#all.push(inFlight);
  }

  has(inFlight: InFlightExchange): boolean {
    return this.#all.includes(inFlight);
  }

  /** Removes one that has ended; nothing happens when it is not there. */
  delete(inFlight: InFlightExchange): void {
    // Streams are open for long, so most of those that end are among the newest.
    const at = this.#all.lastIndexOf(inFlight);
    if (at !== -1) this.#all.splice(at, 1);
  }

  [Symbol.iterator](): IterableIterator<InFlightExchange> {
    return this.#all.values();
  }
}

/** The newest exchanges in flight, at most 50 and those that wait for a person, newest first; and their total number. */
export interface RunningExchanges {
  readonly exchanges: readonly RunningExchange[];
  readonly total: number;
}

const MAX_SHOWN = 50;

/** Lists the exchanges in flight for the window. `redact` takes secrets out. */
export function listInFlight(
  inFlightExchanges: InFlightExchanges,
  redact: (text: string) => string,
): RunningExchanges {
  const all = [...inFlightExchanges].toReversed();
  const shown = all.filter(({ isHeld }, place) => place < MAX_SHOWN || isHeld);
  return {
    exchanges: shown.map((inFlight) => toRunning(inFlight, redact)),
    total: inFlightExchanges.size,
  };
}

function toRunning(inFlight: InFlightExchange, redact: (text: string) => string): RunningExchange {
  const { id, startedAt, service, client, route, method, pathReceived } = inFlight;
  const { modelSent, streamed, status } = inFlight;
  return {
    id,
    startedAt,
    service,
    clientName: client?.name ?? null,
    route,
    method,
    pathReceived: redact(inFlight.truncate(pathReceived)),
    modelSent: modelSent === null ? null : redact(inFlight.truncate(modelSent)),
    streamed,
    status,
    stage: toStage(inFlight),
    ownRun: findSubagent(inFlight) === null ? inFlight.run : null,
  };
}

function toStage({ status, sentAt, isHeld }: InFlightExchange): RunningExchange['stage'] {
  if (isHeld) return 'held';
  if (status !== null) return 'answering';
  return sentAt === null ? 'receiving' : 'waiting';
}
