import { VIDEOS_CLIENT_ID, VIDEOS_CLIENT_NAME } from '../../../shared/client.ts';
import type {
  ExchangeId,
  ExchangeRecord,
  RouteName,
  VideoLength,
} from '../../../shared/exchange/exchange.ts';
import { ErrorBody } from '../../../shared/failure/error-body.ts';
import type { ProblemCode } from '../../../shared/problem.ts';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import { describeUnexpectedAnswer } from '../../../shared/exchange/outcome.ts';
import { UNKNOWN_USAGE } from '../../../shared/exchange/usage.ts';
import type { History, RawHeaderSnapshots } from '../../history/history.ts';
import type { OpenExchange, OpenExchanges } from '../../history/history.ts';
import type { SpendLimits, SpendRequest } from '../../spend-limits/spend-limits.ts';
import type { PriceBook } from '../../prices/prices.ts';
import { ExchangeIds } from '../../history/exchange-ids.ts';
import type { DownloadResult, Reply, ServiceConnection } from '../service/types.ts';

/** A request of Gatehouse for a video. */
export interface ServiceRequest {
  readonly route: RouteName;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly model?: string | null;
  readonly bytesIn?: number;
  /** The length of the video that it orders. */
  readonly video?: VideoLength | null;
}

/** The outcome of such a request. */
type Outcome = Pick<ExchangeRecord, 'status' | 'errorCode' | 'errorMessage' | 'bytesOut'>;

export interface RequestRecorderOptions {
  readonly record: History['record'];
  readonly prices: Pick<PriceBook, 'costOf' | 'expectCost'>;
  readonly spendLimits: Pick<SpendLimits, 'admit' | 'findRefusal'>;
  readonly openExchanges: Pick<OpenExchanges, 'begin'>;
  readonly randomBytes: (size: number) => Uint8Array;
  /** Unix time in milliseconds. */
  readonly now: () => number;
}

/** Such a request while it is in flight. */
export interface RecordedRequest {
  /** The connection to use for it. */
  readonly connection: ServiceConnection;
  readonly id: ExchangeId;
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

  /**
   * Begins a request over `connection`, whose headers it collects. `done` records the request with its outcome. The order of a video
   * counts against the limits from now on.
   * @throws Problem local_limit_reached, local_rate_reached
   */
  begin(connection: ServiceConnection, request: ServiceRequest): RecordedRequest {
    let sent: readonly string[] | null = null;
    let answered: readonly string[] | null = null;
    const { id, done } = this.#measure(connection.service, request, () => ({
      received: null,
      sent,
      answered,
      returned: null,
    }));
    const noted: ServiceConnection = {
      ...connection,
      onHeaders: (of, headers) => {
        if (of === 'request') sent = headers;
        else answered = headers;
      },
    };
    return { id, connection: noted, done };
  }

  /** Returns why the order of a video would exceed a limit now, a sentence; `null` when it would not. */
  findRefusal(service: string, order: Pick<ServiceRequest, 'model' | 'video'>): string | null {
    const { spendLimits, now } = this.#options;
    const request = this.#toSpend(service, Math.round(now()), order);
    return spendLimits.findRefusal(request)?.message ?? null;
  }

  #toSpend(
    service: string,
    at: number,
    { model = null, video = null }: Pick<ServiceRequest, 'model' | 'video'>,
  ): SpendRequest {
    return {
      clientId: VIDEOS_CLIENT_ID,
      clientName: VIDEOS_CLIENT_NAME,
      model,
      run: null,
      subagent: null,
      scope: service === SANDBOX_ID ? 'sandbox' : 'services',
      service,
      at,
      expected: () => {
        const models = { modelSent: model, modelAsked: model, modelServed: null };
        const order = { service, route: 'video-submit', startedAt: at, ...models, video } as const;
        return { money: this.#options.prices.expectCost(order, UNKNOWN_USAGE), tokens: 0 };
      },
    };
  }

  #measure(
    service: string,
    request: ServiceRequest,
    heads: () => RawHeaderSnapshots,
  ): Pick<RecordedRequest, 'id' | 'done'> {
    const { now, record, prices } = this.#options;
    const startedAt = Math.round(now());
    const openedAt = performance.now();
    const { route, method, path, model = null, bytesIn = 0 } = request;
    const id = this.#ids.next(startedAt);
    const isOrder = route === 'video-submit';
    const spend = isOrder ? this.#reserve({ id, startedAt, service }, request) : null;
    const done: RecordedRequest['done'] = (result) => {
      const outcome = toOutcome(result);
      const exchange: ExchangeRecord = {
        cost: null,
        id,
        startedAt,
        times: 1,
        lastAt: startedAt,
        service,
        clientId: null,
        clientName: VIDEOS_CLIENT_NAME,
        conversation: null,
        sender: null,
        run: null,
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
        video: request.video ?? null,
      };
      const cost = prices.costOf(exchange);
      if (cost === null) spend?.admission.cancel();
      else spend?.admission.settle({ money: cost.amount ?? 0, tokens: 0 });
      record({ ...exchange, cost }, heads());
      spend?.endOpen(cost !== null);
    };
    return { id, done };
  }

  /** Counts the order of a video against the limits, and writes it down before it is sent. @throws Problem */
  #reserve(
    { id, startedAt, service }: Pick<OpenExchange, 'id' | 'startedAt' | 'service'>,
    { route, method, path, model = null, bytesIn = 0, video = null }: ServiceRequest,
  ) {
    const { spendLimits, openExchanges } = this.#options;
    const admission = spendLimits.admit(this.#toSpend(service, startedAt, { model, video }));
    const endOpen = openExchanges.begin({
      id,
      startedAt,
      service,
      clientId: null,
      clientName: VIDEOS_CLIENT_NAME,
      conversation: null,
      run: null,
      sender: null,
      route,
      method,
      path,
      model,
      streamed: false,
      bytesIn,
      input: null,
      output: null,
      images: null,
      video,
    });
    return { admission, endOpen };
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
      const errorCode = findDownloadCode(result);
      return { status, errorCode, errorMessage, bytesOut: Buffer.byteLength(text) };
    }
  }
}

/** A download that failed with a status of success must not look like one that did not. */
function findDownloadCode({
  kind,
  status,
}: Exclude<DownloadResult, { kind: 'saved' }>): string | null {
  if (status !== null && status >= 400) return null;
  return kind === 'not-a-video' ? 'not_a_video' : 'download_failed';
}

function findFailure({ status, json, text }: Extract<Reply, { kind: 'answer' }>) {
  if (status >= 200 && status < 300 && json === undefined) {
    const errorCode: ProblemCode = 'unexpected_content_type';
    const what = text.trimStart().startsWith('<') ? 'a web page' : 'something else';
    return { errorCode, errorMessage: describeUnexpectedAnswer(what) };
  }
  const error = status >= 400 ? ErrorBody.safeParse(json).data?.error : undefined;
  const errorMessage = error?.message.slice(0, MAX_MESSAGE_LENGTH) ?? null;
  return { errorCode: error?.code ?? null, errorMessage };
}

function toUnanswered({ nothingSent, sentence }: Extract<Reply, { kind: 'none' }>) {
  const code: ProblemCode = nothingSent ? 'upstream_unreachable' : 'upstream_connection_lost';
  return { errorCode: code, errorMessage: sentence.slice(0, MAX_MESSAGE_LENGTH) };
}
