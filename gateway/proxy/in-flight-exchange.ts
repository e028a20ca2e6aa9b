import type { Client } from '../../shared/client.ts';
import type { Cost } from '../../shared/money/cost.ts';
import type {
  EndedBy,
  ExchangeId,
  ExchangeRecord,
  RouteName,
  RunId,
  VideoLength,
} from '../../shared/exchange/exchange.ts';
import type { Sender } from '../../shared/exchange/sender.ts';
import type { Repair } from '../../shared/exchange/repair.ts';
import type { StepFacts } from '../../shared/run/run.ts';
import { UNKNOWN_USAGE, type Usage } from '../../shared/exchange/usage.ts';
import type { CapturedExchange, ExchangeFacts } from '../bodies/bodies.ts';
import type { RawHeaderSnapshots } from '../history/history.ts';
import type { ByteChunks } from '../lib/byte-chunks.ts';
import type { Admission, RequestSize } from '../spend-limits/spend-limits.ts';

/** The question why the prompt cache missed, as an exchange has it. */
export interface CacheQuestion {
  /** The key of its agent, for the table of latest answers. */
  readonly agent: string;
  /** The id of the answer that the service compares with; `null` for a first request. */
  readonly compared: string | null;
  /** The body without the question; `null` for a request that does not ask, but whose answer is one to compare with. */
  readonly unasked: Buffer | ByteChunks | null;
}

/** Collects the facts of an exchange while it is in flight. Every step adds what it learns; `toRecord` makes the record of it. */
export class InFlightExchange {
  id: ExchangeId;
  readonly startedAt: number;
  /** Monotonic milliseconds at which the request's head was read. */
  readonly openedAt: number;
  readonly method: string;
  /** Stable id of the service in use when it began. */
  readonly service: string;
  userAgent: string | null;
  readonly repairs: Repair[] = [];
  readonly #redact: (text: string) => string;
  client: Client | null = null;
  /** Whether its local key belongs to the client, but was revoked or replaced, or has ended. */
  keyRetired = false;
  /** The project that its program was started for; `null` when that is not known. */
  project: string | null = null;
  /** The session that its client names, and the one whose agent started that. */
  conversation: string | null = null;
  parentSession: string | null = null;
  sender: Sender | null = null;
  run: RunId | null = null;
  route: RouteName = 'other';
  pathReceived: string;
  pathSent: string | null = null;
  modelAsked: string | null = null;
  modelSent: string | null = null;
  modelServed: string | null = null;
  /** The model of the client's own request, once a person changed that request; its `asked` is `null` when it named none. */
  changedModel: { readonly asked: string | null } | null = null;
  streamed = false;
  status: number | null = null;
  errorCode: string | null = null;
  /** The message of the service, or of Gatehouse, about the failure. */
  errorMessage: string | null = null;
  endedBy: EndedBy = 'gateway';
  /** The service key that was sent. It is masked in the response. */
  keySent: string | null = null;
  attempts = 0;
  /** Whether the service may have taken the request that was sent last. */
  mayBeTaken = false;
  /** Whether a page came instead of the answer. */
  isPage = false;
  /** Age of a stored response that is given again, in milliseconds; `null` for any other. */
  repeatedMs: number | null = null;
  bytesIn = 0;
  bytesOut = 0;
  /** Monotonic milliseconds at which the request was first sent, and at which the first byte of the response body came. */
  sentAt: number | null = null;
  firstByteAt: number | null = null;
  /** Milliseconds spent waiting for the client's body. */
  waitedForBodyMs = 0;
  /** Whether it waits for a person, and the milliseconds for which it did. */
  isHeld = false;
  heldMs = 0;
  usage: Usage = UNKNOWN_USAGE;
  /** Whether Gatehouse asked the stream for its usage, so that the client must not get the chunk with it. */
  isUsageAsked = false;
  /** What it asks its service about the prompt cache; `null` for nothing. */
  cacheQuestion: CacheQuestion | null = null;
  /** The id of the answer; `null` when it has none. */
  answerId: string | null = null;
  /** The video that it orders. */
  video: VideoLength | null = null;
  cost: Cost | null = null;
  /** Its place in the limits of its client, from right before it was sent. */
  admission: Admission | null = null;
  /** Says that its record replaces what was written down before it was sent. */
  endOpen: ((isCharged: boolean) => void) | null = null;
  /** The size of a request for an answer of a model; `null` before it is sent. */
  size: RequestSize | null = null;
  /** Tokens that its response was expected to have before it was sent. */
  expectedOutput = 0;
  /** Images in the request; `null` when its price does not depend on them. */
  images: number | null = null;
  /** Its bodies so far; `null` while its client is unknown, and when none are kept. */
  captured: CapturedExchange | null = null;
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
    readonly service: string;
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
    this.service = options.service;
    this.pathReceived = options.path;
    this.userAgent = options.userAgent;
    this.headerSnapshots = {
      received: options.headers,
      sent: null,
      answered: null,
      returned: null,
    };
  }

  /** Whether it has a local key that works, or that expired. */
  get hasKnownKey(): boolean {
    return this.client !== null && !this.keyRetired;
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

  /** Takes the question about the prompt cache back, because the request was answered without it. */
  withdrawCacheQuestion(): void {
    this.cacheQuestion = null;
    const place = this.repairs.findIndex(({ code }) => code === 'cache-reason-asked');
    if (place !== -1) this.repairs.splice(place, 1);
  }

  /** Drops the body without the question, because the service has taken the one with it. */
  dropUnasked(): void {
    if (this.cacheQuestion !== null) this.cacheQuestion = { ...this.cacheQuestion, unasked: null };
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

  /** Returns the facts with which its bodies are kept. `endedAt`: as of `performance.now()`. */
  toFacts(endedAt = performance.now()): ExchangeFacts {
    const { id, startedAt, openedAt, client, conversation, run, sender } = this;
    const clientId = client?.id ?? null;
    const isSent = this.attempts > 0;
    const step = this.#toStep(endedAt);
    return { id, startedAt, openedAt, clientId, conversation, run, sender, isSent, step };
  }

  /** Returns what a step of a run has of it; `null` when it asks no model for an answer. */
  #toStep(endedAt: number): StepFacts | null {
    const { route: protocol, client, status, usage, endedBy, openedAt, firstByteAt, heldMs } = this;
    if (protocol !== 'chat' && protocol !== 'responses' && protocol !== 'messages') return null;
    return {
      protocol,
      clientName: client?.name ?? null,
      model: this.#truncateNullable(this.modelServed ?? this.modelSent ?? this.modelAsked),
      status,
      errorCode: this.#truncateNullable(this.errorCode),
      endedBy,
      durationMs: endedAt - openedAt,
      firstByteMs: firstByteAt === null ? null : firstByteAt - openedAt,
      ...(heldMs === 0 ? {} : { heldMs }),
      usage,
    };
  }

  #truncateNullable(text: string | null, maxLength = MAX_TEXT_LENGTH): string | null {
    return text === null ? null : this.truncate(text, maxLength);
  }

  /** Makes the record for the history. `endedAt`: as of `performance.now()`. */
  toRecord(endedAt = performance.now()): ExchangeRecord {
    const { sentAt, firstByteAt, openedAt } = this;
    const startedAt = this.#equal?.first.startedAt ?? this.startedAt;
    return {
      id: this.id,
      startedAt,
      times: 1,
      lastAt: Math.max(startedAt, this.startedAt),
      service: this.service,
      clientId: this.client?.id ?? null,
      clientName: this.client?.name ?? null,
      conversation: this.#truncateNullable(this.conversation),
      sender: this.sender,
      run: this.run,
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
      durationMs: endedAt - openedAt,
      overheadMs: sentAt === null ? null : sentAt - openedAt - this.waitedForBodyMs - this.heldMs,
      usage: this.usage,
      video: this.video,
      cost: this.cost,
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

/** Returns the id of the sub-agent that sends a request; `null` for the agent that a person started. Some programs give it an id, too. */
export function findSubagent({
  sender,
  conversation,
}: Pick<InFlightExchange, 'sender' | 'conversation'>): string | null {
  if (sender === null) return null;
  const { agent, parent } = sender;
  if (parent !== null) return agent ?? conversation;
  return agent === conversation ? null : agent;
}

/** Copies a text: a slice would keep the whole text it was cut from in memory. */
export function copyString(text: string): string {
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

/** Returns the headers of every response: the id of the exchange, its repairs, and the age of a stored response in seconds, at least 1. */
export function gatehouseHeaders({ id, repairs, repeatedMs }: InFlightExchange): string[] {
  const headers = ['x-gatehouse-exchange', id];
  if (repairs.length > 0) {
    headers.push('x-gatehouse-repairs', repairs.map(({ code }) => code).join(', '));
  }
  if (repeatedMs !== null) {
    headers.push('x-gatehouse-replayed', String(Math.max(1, Math.ceil(repeatedMs / 1000))));
  }
  return headers;
}
