import type { ExchangeRecord, RouteName } from '../../shared/exchange.ts';
import { ErrorBody, type ProblemCode } from '../../shared/problem.ts';
import { UNKNOWN_USAGE } from '../../shared/usage.ts';
import { ExchangeIds } from '../proxy/proxy.ts';
import type { Fetched, Reply } from './studio/studio.ts';

/** One request that Gatehouse makes for a video. */
export interface Errand {
  readonly route: RouteName;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly model?: string | null;
  readonly bytesIn?: number;
}

/** How it went. */
type Outcome = Pick<ExchangeRecord, 'status' | 'errorCode' | 'errorMessage' | 'bytesOut'>;

export interface RecorderOptions {
  readonly record: (exchange: ExchangeRecord) => void;
  readonly randomBytes: (size: number) => Uint8Array;
  /** Unix time in milliseconds. */
  readonly now: () => number;
}

const LONGEST_MESSAGE = 500;

/** Puts what Gatehouse asks of a service for videos into the history, with what clients ask. */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #ids: ExchangeIds;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#ids = new ExchangeIds(options.randomBytes);
  }

  /** Begins an errand. Called with its outcome, what it gives records it. */
  begin(errand: Errand): (came: Reply | Fetched) => void {
    const { now, record } = this.#options;
    const startedAt = now();
    const openedAt = performance.now();
    const { route, method, path, model = null, bytesIn = 0 } = errand;
    return (came) => {
      const outcome = outcomeOf(came);
      record({
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
      });
    };
  }
}

function outcomeOf(came: Reply | Fetched): Outcome {
  switch (came.kind) {
    case 'saved':
      return { status: 200, errorCode: null, errorMessage: null, bytesOut: came.bytes };
    case 'answer':
      return { ...failureIn(came), status: came.status, bytesOut: Buffer.byteLength(came.text) };
    case 'none':
      return { status: null, ...unanswered(came), bytesOut: 0 };
    case 'later':
    case 'link-gone':
    case 'no-video': {
      const { status, sentence, text } = came;
      const errorMessage = sentence.slice(0, LONGEST_MESSAGE);
      return { status, errorCode: null, errorMessage, bytesOut: Buffer.byteLength(text) };
    }
  }
}

function failureIn({ status, json }: Extract<Reply, { kind: 'answer' }>) {
  const error = status >= 400 ? ErrorBody.safeParse(json).data?.error : undefined;
  const errorMessage = error?.message.slice(0, LONGEST_MESSAGE) ?? null;
  return { errorCode: error?.code ?? null, errorMessage };
}

function unanswered({ nothingSent, sentence }: Extract<Reply, { kind: 'none' }>) {
  const code: ProblemCode = nothingSent ? 'upstream_unreachable' : 'upstream_connection_lost';
  return { errorCode: code, errorMessage: sentence.slice(0, LONGEST_MESSAGE) };
}
