import type { Client } from '../../shared/client.ts';
import type { EndedBy, ExchangeId, ExchangeRecord, RouteName } from '../../shared/exchange.ts';
import type { Repair } from '../../shared/repair.ts';
import { UNKNOWN_USAGE, type Usage } from '../../shared/usage.ts';
import type { RawHeads } from '../history/history.ts';
import type { FirstOfEqual } from './unknown-callers.ts';

/** What is known of an exchange while it is on its way. Each step notes what it learned; `finish` makes the record of it. */
export class Draft {
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
  slept = false;
  /** The exchange it is counted with, and whether the record tells what it was itself. */
  #equal: { readonly first: FirstOfEqual; readonly listed: boolean } | null = null;
  /** As they went over the wire, credentials and all: to be cleaned before they go anywhere. */
  readonly heads: { -readonly [head in keyof RawHeads]: RawHeads[head] };

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
    this.heads = { received: opening.headers, sent: null, answered: null, returned: null };
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
    this.heads.received = null;
    this.pathReceived = copyOf(this.clip(this.pathReceived));
    this.userAgent = this.userAgent === null ? null : copyOf(this.clip(this.userAgent));
  }

  /** Notes what was repaired; of one kind the first ten. */
  note(repairs: readonly Repair[]): void {
    for (const repair of repairs) {
      const { code, before, after } = repair;
      if (this.repairs.filter((noted) => noted.code === code).length >= MOST_ALIKE) continue;
      this.repairs.push({ ...repair, before: this.clip(before), after: this.clip(after) });
    }
  }

  /** A text that others chose, as long as it is kept; whole ones may still hold a secret. */
  clip(text: string, longest = LONGEST_TEXT): string {
    if (text.length <= longest) return text;
    // Clean first: half a secret at the cut would not be found afterwards.
    const clean = this.#redact(text);
    return clean.length <= longest ? clean : `${clean.slice(0, longest - 1)}…`;
  }

  /** What is said of an answer that did not come, or not whole, with what may be the reason for it. */
  explain(sentence: string): string {
    return this.slept ? `${sentence} This computer slept while it ran.` : sentence;
  }

  #clipped(text: string | null, longest = LONGEST_TEXT): string | null {
    return text === null ? null : this.clip(text, longest);
  }

  finish(): ExchangeRecord {
    const { sentAt, firstByteAt, openedAt } = this;
    const startedAt = this.#equal?.first.startedAt ?? this.startedAt;
    return {
      id: this.id,
      startedAt,
      times: 1,
      lastAt: Math.max(startedAt, this.startedAt),
      clientId: this.client?.id ?? null,
      clientName: this.client?.name ?? null,
      conversation: this.#clipped(this.conversation),
      userAgent: this.#clipped(this.userAgent),
      route: this.route,
      method: this.method,
      pathReceived: this.clip(this.pathReceived),
      pathSent: this.#clipped(this.pathSent),
      modelAsked: this.#clipped(this.modelAsked),
      modelSent: this.#clipped(this.modelSent),
      modelServed: this.#clipped(this.modelServed),
      streamed: this.streamed,
      status: this.status,
      errorCode: this.#clipped(this.errorCode),
      errorMessage: this.#clipped(this.errorMessage, LONGEST_MESSAGE),
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
      userAgent: this.#clipped(this.userAgent, LONGEST_UNKNOWN),
      pathReceived: this.clip(this.pathReceived, LONGEST_UNKNOWN),
    };
  }
}

/** The same text in memory of its own: a piece of a longer one keeps all of that. */
function copyOf(text: string): string {
  return Buffer.from(text).toString();
}

/** Texts that others choose are kept up to this length. */
const LONGEST_TEXT = 1000;
/** More repairs of one kind say nothing new, and a form has up to 500 parts. */
const MOST_ALIKE = 10;
const LONGEST_MESSAGE = 500;
const LONGEST_UNKNOWN = 200;
/** Requests of several kinds have none of these in common. */
const UNLISTED = { userAgent: null, method: '', pathReceived: '', route: 'other' } as const;
const NOT_LISTED =
  'More kinds of requests were refused within this hour than are listed one by one. The others are counted here together.';
