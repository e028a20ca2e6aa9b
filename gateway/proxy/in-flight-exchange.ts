import type { Client } from '../../shared/client.ts';
import type { EndedBy, ExchangeId, ExchangeRecord, RouteName } from '../../shared/exchange.ts';
import type { Repair } from '../../shared/repair.ts';
import { UNKNOWN_USAGE, type Usage } from '../../shared/usage.ts';
import type { RawHeaderSnapshots } from '../history/history.ts';
import type { RunningExchange } from '../../shared/history.ts';

/** Collects the facts of an exchange while it is in flight. Every step adds what it learns; `toRecord` makes the record of it. */
export class InFlightExchange {
  id: ExchangeId;
  readonly startedAt: number;
  /** Monotonic milliseconds at which the request's head was read. */
  readonly openedAt: number;
  readonly method: string;
  userAgent: string | null;
  readonly repairs: Repair[] = [];
  readonly #redact: (text: string) => string;
  client: Client | null = null;
  conversation: string | null = null;
  route: RouteName = 'other';
  pathReceived: string;
  pathSent: string | null = null;
  modelAsked: string | null = null;
  modelSent: string | null = null;
  modelServed: string | null = null;
  streamed = false;
  status: number | null = null;
  errorCode: string | null = null;
  /** The message of the service, or of Gatehouse, about the failure. */
  errorMessage: string | null = null;
  endedBy: EndedBy = 'gateway';
  /** The service key that was sent. It is masked in the response. */
  keySent: string | null = null;
  attempts = 0;
  /** Age of a stored response that is given again, in milliseconds; `null` for any other. */
  replayedMs: number | null = null;
  bytesIn = 0;
  bytesOut = 0;
  /** Monotonic milliseconds at which the request was first sent, and at which the first byte of the response body came. */
  sentAt: number | null = null;
  firstByteAt: number | null = null;
  /** Milliseconds spent waiting for the client's body. */
  waitedForBodyMs = 0;
  usage: Usage = UNKNOWN_USAGE;
  /** Whether the machine slept while it was in flight. */
  wasSuspended = false;
  /** The first of the equal exchanges that it is counted with, and whether the record shows its own texts. */
  #equal: { readonly first: FirstOfEqual; readonly listed: boolean } | null = null;
  /** Header fields as they were on the wire, with credentials: they must be redacted before they are stored. */
  readonly headerSnapshots: {
    -readonly [head in keyof RawHeaderSnapshots]: RawHeaderSnapshots[head];
  };

  constructor(options: {
    readonly id: ExchangeId;
    readonly startedAt: number;
    readonly method: string;
    readonly path: string;
    readonly userAgent: string | null;
    readonly headers: readonly string[] | null;
    readonly redact: (text: string) => string;
  }) {
    this.#redact = options.redact;
    this.id = options.id;
    this.startedAt = options.startedAt;
    this.openedAt = performance.now();
    this.method = options.method;
    this.pathReceived = options.path;
    this.userAgent = options.userAgent;
    this.headerSnapshots = {
      received: options.headers,
      sent: null,
      answered: null,
      returned: null,
    };
  }

  /** Whether it is counted with equal exchanges. */
  get counted(): boolean {
    return this.#equal !== null;
  }

  /** Counts it with an equal exchange and takes that one's id. Unless `listed`, its record has none of its own texts. */
  countWith(first: FirstOfEqual, listed: boolean): void {
    this.id = first.id;
    this.#equal = { first, listed };
  }

  /** The side that gave the response. */
  get answeredBy(): EndedBy {
    return this.attempts === 0 ? 'gateway' : 'service';
  }

  /** Drops the headers of an unknown client's request and truncates its texts, which may be large. */
  shorten(): void {
    this.headerSnapshots.received = null;
    this.pathReceived = copyString(this.truncate(this.pathReceived));
    this.userAgent = this.userAgent === null ? null : copyString(this.truncate(this.userAgent));
  }

  /** Adds repairs; of one kind only the first ten. */
  addRepairs(repairs: readonly Repair[]): void {
    for (const repair of repairs) {
      const { code, before, after } = repair;
      if (this.repairs.filter((added) => added.code === code).length >= MAX_SIMILAR) continue;
      this.repairs.push({ ...repair, before: this.truncate(before), after: this.truncate(after) });
    }
  }

  /** Truncates a text from outside to the length that is stored. A text that is short enough is not redacted yet. */
  truncate(text: string, maxLength = MAX_TEXT_LENGTH): string {
    if (text.length <= maxLength) return text;
    // Redacted first, because half a secret at the cut would not be found afterwards.
    const clean = this.#redact(text);
    return clean.length <= maxLength ? clean : `${clean.slice(0, maxLength - 1)}…`;
  }

  /** Adds to the message of a failed response that the computer slept meanwhile, if it did. */
  withSleepHint(message: string): string {
    return this.wasSuspended ? `${message} This computer slept during the request.` : message;
  }

  #truncateNullable(text: string | null, maxLength = MAX_TEXT_LENGTH): string | null {
    return text === null ? null : this.truncate(text, maxLength);
  }

  /** Makes the record for the history. */
  toRecord(): ExchangeRecord {
    const { sentAt, firstByteAt, openedAt } = this;
    const startedAt = this.#equal?.first.startedAt ?? this.startedAt;
    return {
      id: this.id,
      startedAt,
      times: 1,
      lastAt: Math.max(startedAt, this.startedAt),
      clientId: this.client?.id ?? null,
      clientName: this.client?.name ?? null,
      conversation: this.#truncateNullable(this.conversation),
      userAgent: this.#truncateNullable(this.userAgent),
      route: this.route,
      method: this.method,
      pathReceived: this.truncate(this.pathReceived),
      pathSent: this.#truncateNullable(this.pathSent),
      modelAsked: this.#truncateNullable(this.modelAsked),
      modelSent: this.#truncateNullable(this.modelSent),
      modelServed: this.#truncateNullable(this.modelServed),
      streamed: this.streamed,
      status: this.status,
      errorCode: this.#truncateNullable(this.errorCode),
      errorMessage: this.#truncateNullable(this.errorMessage, MAX_MESSAGE_LENGTH),
      endedBy: this.endedBy,
      repairs: this.repairs,
      attempts: this.attempts,
      bytesIn: this.bytesIn,
      bytesOut: this.bytesOut,
      firstByteMs: firstByteAt === null ? null : firstByteAt - openedAt,
      durationMs: performance.now() - openedAt,
      overheadMs: sentAt === null ? null : sentAt - openedAt - this.waitedForBodyMs,
      usage: this.usage,
      ...(this.#equal === null ? {} : this.#toUnknownClientTexts(this.#equal.listed)),
    };
  }

  /** Returns the texts of an unknown client's record. */
  #toUnknownClientTexts(listed: boolean): Partial<ExchangeRecord> {
    if (!listed) return { ...UNLISTED, errorMessage: NOT_LISTED };
    return {
      userAgent: this.#truncateNullable(this.userAgent, MAX_UNKNOWN_LENGTH),
      pathReceived: this.truncate(this.pathReceived, MAX_UNKNOWN_LENGTH),
    };
  }
}

/** Copies a text: a slice would keep the whole text it was cut from in memory. */
function copyString(text: string): string {
  return Buffer.from(text).toString();
}

/** Texts from outside are stored up to this length. */
const MAX_TEXT_LENGTH = 1000;
/** A form has up to 500 parts, and every one may need the same repair. */
const MAX_SIMILAR = 10;
const MAX_MESSAGE_LENGTH = 500;
const MAX_UNKNOWN_LENGTH = 200;
/** Exchanges of several kinds in one record share none of these. */
const UNLISTED = { userAgent: null, method: '', pathReceived: '', route: 'other' } as const;
const NOT_LISTED =
  'More kinds of requests were refused in this hour than are listed separately. The others are counted here together.';

/** The first of several equal exchanges, with which the others are counted. */
export interface FirstOfEqual {
  readonly id: ExchangeId;
  readonly startedAt: number;
}

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

/** Returns the headers of every response: the id of the exchange, its repairs, and the age in seconds of a stored response. */
export function gatehouseHeaders({ id, repairs, replayedMs }: InFlightExchange): string[] {
  const headers = ['x-gatehouse-exchange', id];
  if (repairs.length > 0) {
    headers.push('x-gatehouse-repairs', repairs.map(({ code }) => code).join(', '));
  }
  if (replayedMs !== null) {
    headers.push('x-gatehouse-replayed', String(Math.floor(replayedMs / 1000)));
  }
  return headers;
}
