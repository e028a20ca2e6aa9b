import type { Client } from '../../shared/client.ts';
import type { EndedBy, ExchangeId, ExchangeRecord, RouteName } from '../../shared/exchange.ts';
import type { Repair } from '../../shared/repair.ts';
import { UNKNOWN_USAGE, type Usage } from '../../shared/usage.ts';
import type { RawHeaderSnapshots } from '../history/history.ts';
import type { RunningExchange } from '../../shared/history.ts';

/** What is known of an exchange while it is on its way. Each step notes what it learned; `finish` makes the record of it. */
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
  /** What the service, or Gatehouse, said about the failure. */
  errorMessage: string | null = null;
  endedBy: EndedBy = 'gateway';
  /** The service key that was sent: it must not come back to the client. */
  keySent: string | null = null;
  attempts = 0;
  /** How long ago the answer came, when it is one that was given before. */
  replayedMs: number | null = null;
  bytesIn = 0;
  bytesOut = 0;
  /** Monotonic milliseconds: when the request first went out, when the first byte of the answer's body came. */
  sentAt: number | null = null;
  firstByteAt: number | null = null;
  /** Milliseconds spent waiting for the client's own body. */
  waitedForBodyMs = 0;
  usage: Usage = UNKNOWN_USAGE;
  /** Whether the machine slept while it was on its way. */
  wasSuspended = false;
  /** The exchange it is counted with, and whether the record tells what it was itself. */
  #equal: { readonly first: FirstOfEqual; readonly listed: boolean } | null = null;
  /** As they went over the wire, credentials and all: to be cleaned before they go anywhere. */
  readonly headerSnapshots: {
    -readonly [head in keyof RawHeaderSnapshots]: RawHeaderSnapshots[head];
  };

  constructor(opening: {
    readonly id: ExchangeId;
    readonly startedAt: number;
    readonly method: string;
    readonly path: string;
    readonly userAgent: string | null;
    readonly headers: readonly string[] | null;
    readonly redact: (text: string) => string;
  }) {
    this.#redact = opening.redact;
    this.id = opening.id;
    this.startedAt = opening.startedAt;
    this.openedAt = performance.now();
    this.method = opening.method;
    this.pathReceived = opening.path;
    this.userAgent = opening.userAgent;
    this.headerSnapshots = {
      received: opening.headers,
      sent: null,
      answered: null,
      returned: null,
    };
  }

  /** Whether it is counted with others. */
  get counted(): boolean {
    return this.#equal !== null;
  }

  /** Counts it with an equal one, whose id it takes. Not `listed`: the record says only that there were such. */
  countWith(first: FirstOfEqual, listed: boolean): void {
    this.id = first.id;
    this.#equal = { first, listed };
  }

  /** Whose answer it is. */
  get answeredBy(): EndedBy {
    return this.attempts === 0 ? 'gateway' : 'service';
  }

  /** Keeps no more of a caller that nobody knows than tells its requests apart: of its headers none, of each text the beginning. */
  shorten(): void {
    this.headerSnapshots.received = null;
    this.pathReceived = copyString(this.truncate(this.pathReceived));
    this.userAgent = this.userAgent === null ? null : copyString(this.truncate(this.userAgent));
  }

  /** Notes what was repaired; of one kind the first ten. */
  addRepairs(repairs: readonly Repair[]): void {
    for (const repair of repairs) {
      const { code, before, after } = repair;
      if (this.repairs.filter((noted) => noted.code === code).length >= MAX_SIMILAR) continue;
      this.repairs.push({ ...repair, before: this.truncate(before), after: this.truncate(after) });
    }
  }

  /** A text that others chose, as long as it is kept; whole ones may still hold a secret. */
  truncate(text: string, longest = MAX_TEXT_LENGTH): string {
    if (text.length <= longest) return text;
    // Clean first: half a secret at the cut would not be found afterwards.
    const clean = this.#redact(text);
    return clean.length <= longest ? clean : `${clean.slice(0, longest - 1)}…`;
  }

  /** What is said of an answer that did not come, or not whole, with what may be the reason for it. */
  withSleepHint(sentence: string): string {
    return this.wasSuspended ? `${sentence} This computer slept while it ran.` : sentence;
  }

  #truncateNullable(text: string | null, longest = MAX_TEXT_LENGTH): string | null {
    return text === null ? null : this.truncate(text, longest);
  }

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
      ...(this.#equal === null ? {} : this.#shortened(this.#equal.listed)),
    };
  }

  /** What is kept of the texts of a caller that nobody knows. */
  #shortened(listed: boolean): Partial<ExchangeRecord> {
    if (!listed) return { ...UNLISTED, errorMessage: NOT_LISTED };
    return {
      userAgent: this.#truncateNullable(this.userAgent, MAX_UNKNOWN_LENGTH),
      pathReceived: this.truncate(this.pathReceived, MAX_UNKNOWN_LENGTH),
    };
  }
}

/** The same text in memory of its own: a piece of a longer one keeps all of that. */
function copyString(text: string): string {
  return Buffer.from(text).toString();
}

/** Texts that others choose are kept up to this length. */
const MAX_TEXT_LENGTH = 1000;
/** More repairs of one kind say nothing new, and a form has up to 500 parts. */
const MAX_SIMILAR = 10;
const MAX_MESSAGE_LENGTH = 500;
const MAX_UNKNOWN_LENGTH = 200;
/** Requests of several kinds have none of these in common. */
const UNLISTED = { userAgent: null, method: '', pathReceived: '', route: 'other' } as const;
const NOT_LISTED =
  'More kinds of requests were refused within this hour than are listed one by one. The others are counted here together.';

/** The exchange that equal ones are counted with. */
export interface FirstOfEqual {
  readonly id: ExchangeId;
  readonly startedAt: number;
}

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
