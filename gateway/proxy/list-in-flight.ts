import type { RunningExchange } from '../../shared/history.ts';
import type { InFlightExchange } from './in-flight-exchange.ts';

/** Exchanges on their way, newest first, at most 50 of them, and how many there are in all. */
export interface RunningExchanges {
  readonly exchanges: readonly RunningExchange[];
  readonly total: number;
}

const MAX_SHOWN = 50;

/** What can be told of the exchanges on their way. `drafts` are oldest first; `redact` takes secrets out. */
export function listInFlight(
  drafts: ReadonlySet<InFlightExchange>,
  redact: (text: string) => string,
): RunningExchanges {
  const newest = [...drafts].slice(-MAX_SHOWN).toReversed();
  return { exchanges: newest.map((inFlight) => toRunning(inFlight, redact)), total: drafts.size };
}

function toRunning(inFlight: InFlightExchange, redact: (text: string) => string): RunningExchange {
  const { id, startedAt, client, route, method, pathReceived, modelSent, streamed, status } =
    inFlight;
  return {
    id,
    startedAt,
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
