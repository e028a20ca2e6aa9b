import type { RunningExchange } from '../../shared/history/history.ts';
import type { InFlightExchange } from './in-flight-exchange.ts';

/** The newest exchanges in flight, at most 50 and newest first, and their total number. */
export interface RunningExchanges {
  readonly exchanges: readonly RunningExchange[];
  readonly total: number;
}

const MAX_SHOWN = 50;

/** Lists the exchanges in flight for the window. They come oldest first; `redact` takes secrets out. */
export function listInFlight(
  inFlightExchanges: ReadonlySet<InFlightExchange>,
  redact: (text: string) => string,
): RunningExchanges {
  const newest = [...inFlightExchanges].slice(-MAX_SHOWN).toReversed();
  return {
    exchanges: newest.map((inFlight) => toRunning(inFlight, redact)),
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
  };
}

function toStage({ status, sentAt }: InFlightExchange): RunningExchange['stage'] {
  if (status !== null) return 'answering';
  return sentAt === null ? 'receiving' : 'waiting';
}
