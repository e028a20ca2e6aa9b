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
  /** Its body as the client sent it. */
  readonly bytes: Buffer;
  readonly signal: LeaveSignal;
}

/** How a request goes on. */
export interface ReleasedRequest {
  /** Its new body; `null`: unchanged. */
  readonly bytes: Buffer | null;
  /** Names of the fields that a person changed or removed. */
  readonly fields: readonly string[];
}

interface Held {
  request: HeldRequest;
  timer: NodeJS.Timeout;
  readonly bytes: Buffer;
  readonly release: (released: ReleasedRequest) => void;
  readonly refuse: (problem: Problem) => void;
}

const UNCHANGED: ReleasedRequest = { bytes: null, fields: [] };

/**
 * Lets requests of a client wait until a person has looked at them: the next one of each client that a person names. All of it is in
 * memory, and nothing of a request is kept when it goes on. `now`: Unix time in milliseconds.
 */
export class Holds {
  readonly #now: () => number;
  readonly #next = new Map<string, HoldState['next'][number]>();
  readonly #held = new Map<ExchangeId, Held>();
  readonly #listeners = new Emitter();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Makes the next request of a client wait for at most so many seconds. */
  holdNext({ id, name }: { readonly id: ClientId; readonly name: string }, seconds: number): void {
    this.#next.set(id, { clientId: id, clientName: name, seconds });
    this.#listeners.emit();
  }

  /** Lets the next request of a client pass. Returns whether it would have waited. */
  cancel(clientId: string): boolean {
    const isKnown = this.#next.delete(clientId);
    if (isKnown) this.#listeners.emit();
    return isKnown;
  }

  /** Whether the next request of a client is to wait. */
  isAwaited(clientId: string): boolean {
    return this.#next.has(clientId);
  }

  /**
   * Holds a request, if that of its client is still awaited. Resolves when it goes on; `null` when it was not held.
   * @throws Problem local_request_refused, shutting_down; the reason of the signal
   */
  async hold({ id, clientId, bytes, signal }: ArrivedRequest): Promise<ReleasedRequest | null> {
    signal.throwIfAborted();
    const next = this.#next.get(clientId);
    if (next === undefined) return null;
    this.#next.delete(clientId);
    const { promise, resolve, reject } = Promise.withResolvers<ReleasedRequest>();
    const heldAt = this.#now();
    const waitMs = next.seconds * 1_000;
    const request = { ...next, id, heldAt, until: heldAt + waitMs };
    const timer = setTimeout(() => resolve(UNCHANGED), waitMs);
    const held: Held = { request, timer, bytes, release: resolve, refuse: reject };
    this.#held.set(id, held);
    const leave = (): void => reject(signal.reason);
    signal.addEventListener('abort', leave);
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
      next: [...this.#next.values()],
      held: [...this.#held.values()].map(({ request }) => request),
    };
  }

  /** Returns the body of a held request. @throws NotFoundError when it does not wait any more */
  read(id: ExchangeId): HeldBody {
    const { reason, text } = readFields(this.#find(id).bytes);
    return { text, reason };
  }

  /** Lets a request wait for so many seconds from now, because a person changes it. @throws NotFoundError when it does not wait any more */
  extend(id: ExchangeId, seconds: number): void {
    const held = this.#find(id);
    const waitMs = seconds * 1_000;
    clearTimeout(held.timer);
    held.timer = setTimeout(() => held.release(UNCHANGED), waitMs);
    held.request = { ...held.request, until: this.#now() + waitMs };
    this.#listeners.emit();
  }

  /** Lets a request go on. @throws NotFoundError when it does not wait any more; UserError when it cannot be changed */
  send({ id, changed, removed, holdNext }: HeldSend): void {
    const held = this.#find(id);
    const released = change(held.bytes, { changed, removed });
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

  /** Refuses all requests that wait, because Gatehouse closes, and holds no others. */
  close(): void {
    this.#next.clear();
    const all = [...this.#held.values()];
    this.#held.clear();
    for (const { refuse } of all) refuse(shuttingDownProblem());
  }

  /** Calls the listener when a request began or ended to wait, or when one is awaited or not any more. Returns what removes the listener. */
  on(listener: () => void): () => void {
    return this.#listeners.on(listener);
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

function readFields(bytes: Buffer): Editable {
  if (!isUtf8(bytes)) return { text: null, fields: null, reason: 'It is not text in UTF-8.' };
  const decoded = bytes.toString();
  const text = decoded.startsWith(MARK) ? decoded.slice(MARK.length) : decoded;
  const fields = tryParse(text);
  return isObject(fields)
    ? { text, fields, reason: null }
    : { text: null, fields: null, reason: 'It is not a JSON object.' };
}

function change(bytes: Buffer, changes: Pick<HeldSend, 'changed' | 'removed'>): ReleasedRequest {
  const names = [...Object.keys(changes.changed), ...changes.removed];
  if (names.length === 0) return UNCHANGED;
  const editable = readFields(bytes);
  if (editable.fields === null) {
    throw new UserError(`This request cannot be changed. ${editable.reason}`);
  }
  const text = changeRequest(editable, changes);
  return text === editable.text ? UNCHANGED : { bytes: Buffer.from(text), fields: names };
}
