import type { ExchangeRecord, RouteName } from '../../../shared/exchange.ts';
import { ErrorBody, type ProblemCode } from '../../../shared/problem.ts';
import { UNKNOWN_USAGE } from '../../../shared/usage.ts';
import type { History, RawHeaderSnapshots } from '../../history/history.ts';
import { ExchangeIds } from '../../history/exchange-ids.ts';
import type { DownloadResult, Reply, ServiceConnection } from '../service/types.ts';

/** A request of Gatehouse for a video. */
export interface ServiceRequest {
  readonly route: RouteName;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly model?: string | null;
  readonly bytesIn?: number;
}

/** The outcome of such a request. */
type Outcome = Pick<ExchangeRecord, 'status' | 'errorCode' | 'errorMessage' | 'bytesOut'>;

export interface RequestRecorderOptions {
  readonly record: History['record'];
  readonly randomBytes: (size: number) => Uint8Array;
  /** Unix time in milliseconds. */
  readonly now: () => number;
}

/** Such a request while it is in flight. */
export interface RecordedRequest {
  /** The connection to use for it. */
  readonly connection: ServiceConnection;
  /** Records it. */
  readonly done: (result: Reply | DownloadResult) => void;
}

const MAX_MESSAGE_LENGTH = 500;

/** Records the requests of Gatehouse for videos in the history. */
export class RequestRecorder {
  readonly #options: RequestRecorderOptions;
  readonly #ids: ExchangeIds;

  constructor(options: RequestRecorderOptions) {
    this.#options = options;
    this.#ids = new ExchangeIds(options.randomBytes);
  }

  /** Begins a request over `connection`, whose headers it collects. `done` records the request with its outcome. */
  begin(connection: ServiceConnection, request: ServiceRequest): RecordedRequest {
    let sent: readonly string[] | null = null;
    let answered: readonly string[] | null = null;
    const done = this.#measure(request, () => ({ received: null, sent, answered, returned: null }));
    const noted: ServiceConnection = {
      ...connection,
      onHeaders: (of, headers) => {
        if (of === 'request') sent = headers;
        else answered = headers;
      },
    };
    return { connection: noted, done };
  }

  #measure(request: ServiceRequest, heads: () => RawHeaderSnapshots): RecordedRequest['done'] {
    const { now, record } = this.#options;
    const startedAt = now();
    const openedAt = performance.now();
    const { route, method, path, model = null, bytesIn = 0 } = request;
    return (result) => {
      const outcome = toOutcome(result);
      const exchange: ExchangeRecord = {
        id: this.#ids.next(startedAt),
        startedAt: Math.round(startedAt),
        times: 1,
        lastAt: Math.round(startedAt),
        clientId: null,
        clientName: 'Videos',
        conversation: null,
        userAgent: null,
        route,
        method,
        pathReceived: path,
        pathSent: path,
        modelAsked: model,
        modelSent: model,
        modelServed: null,
        streamed: false,
        ...outcome,
        endedBy: outcome.status === null ? 'gateway' : 'service',
        repairs: [],
        attempts: 1,
        bytesIn,
        firstByteMs: null,
        durationMs: performance.now() - openedAt,
        overheadMs: null,
        usage: UNKNOWN_USAGE,
      };
      record(exchange, heads());
    };
  }
}

function toOutcome(result: Reply | DownloadResult): Outcome {
  switch (result.kind) {
    case 'saved':
      return { status: 200, errorCode: null, errorMessage: null, bytesOut: result.bytes };
    case 'answer':
      return {
        ...findFailure(result),
        status: result.status,
        bytesOut: Buffer.byteLength(result.text),
      };
    case 'none':
      return { status: null, ...toUnanswered(result), bytesOut: 0 };
    case 'retry-later':
    case 'address-expired':
    case 'not-a-video': {
      const { status, sentence, text } = result;
      const errorMessage = sentence.slice(0, MAX_MESSAGE_LENGTH);
      return { status, errorCode: null, errorMessage, bytesOut: Buffer.byteLength(text) };
    }
  }
}

function findFailure({ status, json }: Extract<Reply, { kind: 'answer' }>) {
  const error = status >= 400 ? ErrorBody.safeParse(json).data?.error : undefined;
  const errorMessage = error?.message.slice(0, MAX_MESSAGE_LENGTH) ?? null;
  return { errorCode: error?.code ?? null, errorMessage };
}

function toUnanswered({ nothingSent, sentence }: Extract<Reply, { kind: 'none' }>) {
  const code: ProblemCode = nothingSent ? 'upstream_unreachable' : 'upstream_connection_lost';
  return { errorCode: code, errorMessage: sentence.slice(0, MAX_MESSAGE_LENGTH) };
}
