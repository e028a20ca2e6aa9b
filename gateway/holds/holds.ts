import { isUtf8 } from 'node:buffer';
import type { ClientId } from '../../shared/client.ts';
import type { ExchangeId } from '../../shared/exchange/exchange.ts';
import type { HeldBody, HeldRequest, HeldSend, HoldState } from '../../shared/exchange/hold.ts';
import { isObject, type JsonObject, tryParse } from '../../shared/parse-bodies/json.ts';
import { Problem } from '../../shared/problem.ts';
import { changeRequest } from '../../shared/replay.ts';
import { NotFoundError, UserError } from '../errors.ts';
import { Emitter } from '../lib/emitter.ts';
import { shuttingDownProblem } from '../service-limit/limit-problems.ts';

/** Is aborted when the client of a request leaves. */
interface LeaveSignal {
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** A request that is to be held. */
export interface ArrivedRequest {
  readonly id: ExchangeId;
  readonly clientId: string;
  /** Its body as the client sent it, and its length in bytes. */
  readonly readBytes: () => Buffer;
  readonly length: number;
  /** Whether it offers tools to its model. */
  readonly hasTools: boolean;
  readonly signal: LeaveSignal;
  /** Is called when it begins to wait. */
  readonly onHeld: () => void;
}

/** How a request goes on. */
export interface ReleasedRequest {
  /** Its new body; `null`: unchanged. */
  readonly bytes: Buffer | null;
  /** The model that its client asked for; `null` when it named none, or the body is unchanged. */
  readonly modelAsked: string | null;
  /** What became of it, in words. */
  readonly result: string;
}

interface Held extends Pick<ArrivedRequest, 'readBytes' | 'length'> {
  request: HeldRequest;
  /** When it goes on, in milliseconds of the monotonic clock. */
  deadline: number;
  timer: NodeJS.Timeout;
  /** Whether it goes on when one with tools comes: it has none, and nobody changes it. */
  givesWay: boolean;
  readonly release: (released: ReleasedRequest) => void;
  readonly refuse: (problem: Problem) => void;
}

/** A request of a client that is to wait. */
interface Awaited {
  readonly next: HoldState['next'][number];
  /** One that a program sends again waits no longer than until then, on the monotonic clock, and is forgotten then. */
  readonly retry: { readonly deadline: number; readonly timer: NodeJS.Timeout } | null;
}

const TIME_OVER: ReleasedRequest = {
  bytes: null,
  modelAsked: null,
  result: 'unchanged, because its time was over',
};
const UNCHANGED: ReleasedRequest = {
  bytes: null,
  modelAsked: null,
  result: 'unchanged, by a person',
};
const GAVE_WAY: ReleasedRequest = {
  bytes: null,
  modelAsked: null,
  result: 'unchanged, because the next one has tools',
};
/** Larger requests take too long to read as JSON, and to edit. */
const MAX_CHANGEABLE = 8 * 2 ** 20;

/**
 * Lets requests of a client wait until a person has looked at them: the next one of each client that a person names. Many agents send a
 * request for a title or the like with their own, so one without tools goes on when one with tools comes, and that one waits. All of it
 * is in memory, and nothing of a request is kept when it goes on. `now`: Unix time in milliseconds.
 */
export class Holds {
  readonly #now: () => number;
  readonly #next = new Map<string, Awaited>();
  readonly #held = new Map<ExchangeId, Held>();
  readonly #listeners = new Emitter();
  #isClosed = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Makes the next request of a client wait for at most so many seconds. */
  holdNext({ id, name }: { readonly id: ClientId; readonly name: string }, seconds: number): void {
    if (this.#isClosed) return;
    this.#take(id);
    this.#next.set(id, { next: { clientId: id, clientName: name, seconds }, retry: null });
    this.#listeners.emit();
  }

  /** Lets the next request of a client pass. Returns whether it would have waited. */
  cancel(clientId: string): boolean {
    const isKnown = this.#take(clientId) !== null;
    if (isKnown) this.#listeners.emit();
    return isKnown;
  }

  /** Whether the next request of a client may have to wait. */
  isAwaited(clientId: string): boolean {
    return this.#next.has(clientId) || this.#findGivingWay(clientId) !== undefined;
  }

  /**
   * Holds a request, if that of its client is still awaited. Resolves when it goes on; `null` when it was not held.
   * @throws Problem local_request_refused, shutting_down; the reason of the signal
   */
  async hold(arrived: ArrivedRequest): Promise<ReleasedRequest | null> {
    const { id, clientId, readBytes, length, hasTools, signal, onHeld } = arrived;
    signal.throwIfAborted();
    const awaited = this.#take(clientId) ?? (hasTools ? this.#letGiveWay(clientId) : null);
    if (awaited === null) return null;
    const { next, retry } = awaited;
    const { promise, resolve, reject } = Promise.withResolvers<ReleasedRequest>();
    const deadline = retry?.deadline ?? performance.now() + next.seconds * 1_000;
    const waitMs = Math.max(0, deadline - performance.now());
    const heldAt = this.#now();
    const request = { ...next, id, heldAt, until: Math.round(heldAt + waitMs) };
    const timer = setTimeout(() => resolve(TIME_OVER), waitMs);
    const held: Held = {
      readBytes,
      length,
      request,
      deadline,
      timer,
      givesWay: !hasTools,
      release: resolve,
      refuse: reject,
    };
    this.#held.set(id, held);
    const leave = (): void => {
      // Programs send a request again when they gave up, and that one is to wait, too.
      this.#awaitRetry(next, held.deadline);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave);
    onHeld();
    this.#listeners.emit();
    try {
      return await promise;
    } finally {
      clearTimeout(held.timer);
      signal.removeEventListener('abort', leave);
      this.#held.delete(id);
      this.#listeners.emit();
    }
  }

  list(): HoldState {
    return {
      next: [...this.#next.values()].map(({ next }) => next),
      held: [...this.#held.values()].map(({ request }) => request),
    };
  }

  /** Returns the body of a held request. @throws NotFoundError when it does not wait any more */
  read(id: ExchangeId): HeldBody {
    const { reason, text } = readFields(this.#find(id));
    return { text, reason };
  }

  /** Lets a request wait for so many seconds from now, because a person changes it. @throws NotFoundError when it does not wait any more */
  extend(id: ExchangeId, seconds: number): void {
    const held = this.#find(id);
    const waitMs = seconds * 1_000;
    held.givesWay = false;
    clearTimeout(held.timer);
    held.timer = setTimeout(() => held.release(TIME_OVER), waitMs);
    held.deadline = performance.now() + waitMs;
    held.request = { ...held.request, until: this.#now() + waitMs };
    this.#listeners.emit();
  }

  /** Lets a request go on. @throws NotFoundError when it does not wait any more; UserError when it cannot be changed */
  send({ id, changed, removed, holdNext }: HeldSend): void {
    const held = this.#find(id);
    const released = change(held, { changed, removed });
    this.#held.delete(id);
    const { clientId, clientName, seconds } = held.request;
    if (holdNext) this.holdNext({ id: clientId, name: clientName }, seconds);
    held.release(released);
  }

  /** Refuses a request. `reason`: the words of the person, which its client gets; may be empty. @throws NotFoundError when it does not wait any more */
  refuse(id: ExchangeId, reason: string): void {
    const held = this.#find(id);
    this.#held.delete(id);
    const words = reason.trim() === '' ? '' : ` Their words: ${reason.trim()}`;
    held.refuse(
      new Problem(
        'local_request_refused',
        `A person looked at this request in Gatehouse and refused it. Nothing was sent.${words}`,
      ),
    );
  }

  /** Refuses all requests that wait. Programs send them again, so the next ones of their clients wait. */
  refuseAll(problem: () => Problem): void {
    for (const { request } of this.#held.values()) {
      const { clientId, clientName, seconds } = request;
      if (!this.#next.has(clientId)) this.holdNext({ id: clientId, name: clientName }, seconds);
    }
    this.#refuseHeld(problem);
  }

  /** Refuses the requests of clients that wait, and does not wait for others of them. */
  forget(isForgotten: (clientId: ClientId) => boolean, problem: () => Problem): void {
    for (const { next } of this.#next.values())
      if (isForgotten(next.clientId)) this.cancel(next.clientId);
    this.#refuseHeld(problem, isForgotten);
  }

  /** Refuses all requests that wait, because Gatehouse closes, and holds no others. */
  close(): void {
    this.#isClosed = true;
    this.forget(() => true, shuttingDownProblem);
  }

  /** Calls the listener when a request began or ended to wait, or when one is awaited or not any more. Returns what removes the listener. */
  on(listener: () => void): () => void {
    return this.#listeners.on(listener);
  }

  /** Returns what is awaited of a client, and awaits it no longer; `null` for nothing. */
  #take(clientId: string): Awaited | null {
    const awaited = this.#next.get(clientId) ?? null;
    this.#next.delete(clientId);
    clearTimeout(awaited?.retry?.timer);
    return awaited;
  }

  #findGivingWay(clientId: string): Held | undefined {
    return [...this.#held.values()].find(
      ({ request, givesWay }) => givesWay && request.clientId === clientId,
    );
  }

  /** Lets a request of a client go on for another one, which waits for the rest of its time. Returns what is awaited then; `null` when none gives way. */
  #letGiveWay(clientId: string): Awaited | null {
    const held = this.#findGivingWay(clientId);
    if (held === undefined) return null;
    this.#held.delete(held.request.id);
    held.release(GAVE_WAY);
    const { clientName, seconds } = held.request;
    return {
      next: { clientId: held.request.clientId, clientName, seconds },
      retry: { deadline: held.deadline, timer: held.timer },
    };
  }

  #awaitRetry(next: Awaited['next'], deadline: number): void {
    const { clientId } = next;
    if (this.#isClosed || this.#next.has(clientId)) return;
    const timer = setTimeout(() => this.cancel(clientId), deadline - performance.now());
    this.#next.set(clientId, { next, retry: { deadline, timer } });
  }

  #refuseHeld(
    problem: () => Problem,
    isRefused: (clientId: ClientId) => boolean = () => true,
  ): void {
    for (const [id, { request, refuse }] of this.#held) {
      if (!isRefused(request.clientId)) continue;
      this.#held.delete(id);
      refuse(problem());
    }
  }

  #find(id: ExchangeId): Held {
    const held = this.#held.get(id);
    if (held !== undefined) return held;
    throw new NotFoundError('This request does not wait any more: it went on, or its client left.');
  }
}

type Editable =
  | { readonly text: string; readonly fields: JsonObject; readonly reason: null }
  | { readonly text: null; readonly fields: null; readonly reason: string };

const MARK = '\u{feff}';

function readFields({ readBytes, length }: Pick<Held, 'readBytes' | 'length'>): Editable {
  if (length > MAX_CHANGEABLE) return refuseChange('It has more than 8 MiB.');
  const bytes = readBytes();
  if (!isUtf8(bytes)) return refuseChange('It is not text in UTF-8, or it is compressed.');
  const decoded = bytes.toString();
  const text = decoded.startsWith(MARK) ? decoded.slice(MARK.length) : decoded;
  const fields = tryParse(text);
  return isObject(fields)
    ? { text, fields, reason: null }
    : refuseChange('It is not a JSON object.');
}

function refuseChange(reason: string): Editable {
  return { text: null, fields: null, reason };
}

function change(held: Held, changes: Pick<HeldSend, 'changed' | 'removed'>): ReleasedRequest {
  const { changed, removed } = changes;
  if (Object.keys(changed).length + removed.length === 0) return UNCHANGED;
  const { text, fields, reason } = readFields(held);
  if (fields === null) throw new UserError(`This request cannot be changed. ${reason}`);
  const other = changeRequest({ text, fields }, changes);
  if (other === text) return UNCHANGED;
  const names = [
    ...Object.keys(changed)
      .filter((name) => JSON.stringify(changed[name]) !== JSON.stringify(fields[name]))
      .map((name) => (name === 'model' ? describeModels(fields[name], changed[name]) : name)),
    ...removed.filter((name) => Object.hasOwn(fields, name)),
  ];
  return {
    bytes: Buffer.from(other),
    modelAsked: typeof fields['model'] === 'string' ? fields['model'] : null,
    result: `with changes of ${names.join(', ')}`,
  };
}

/** Names both models, because the history shows only that the other one was sent. */
function describeModels(before: unknown, after: unknown): string {
  const [from, to] = [before, after].map((model) => (typeof model === 'string' ? model : 'none'));
  return `model (${from} → ${to})`;
}
