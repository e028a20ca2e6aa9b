import type { ExchangeRecord, RouteName } from '../../shared/exchange.ts';
import { ErrorBody, type ProblemCode } from '../../shared/problem.ts';
import { UNKNOWN_USAGE } from '../../shared/usage.ts';
import type { History, RawHeads } from '../history/history.ts';
import { ExchangeIds } from '../proxy/proxy.ts';
import type { Fetched, Reply, Wire } from './studio/studio.ts';

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
  readonly record: History['record'];
  readonly randomBytes: (size: number) => Uint8Array;
  /** Unix time in milliseconds. */
  readonly now: () => number;
}

/** A request that Gatehouse makes for a video, on its way. */
export interface BegunErrand {
  /** To be used for it. */
  readonly wire: Wire;
  /** Records it. */
  readonly done: (came: Reply | Fetched) => void;
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

  /** Begins an errand over the connections of `wire`, whose headers are noted. `done` records it with its outcome. */
  begin(wire: Wire, errand: Errand): BegunErrand {
    let sent: readonly string[] | null = null;
    let answered: readonly string[] | null = null;
    const done = this.#timed(errand, () => ({ received: null, sent, answered, returned: null }));
    const noted: Wire = {
      ...wire,
      onHeaders: (of, headers) => {
        if (of === 'request') sent = headers;
        else answered = headers;
      },
    };
    return { wire: noted, done };
  }

  #timed(errand: Errand, heads: () => RawHeads): BegunErrand['done'] {
    const { now, record } = this.#options;
    const startedAt = now();
    const openedAt = performance.now();
    const { route, method, path, model = null, bytesIn = 0 } = errand;
    return (came) => {
      const outcome = outcomeOf(came);
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
