import type {
  ChatEvent,
  ChatMessage,
  ConversationId,
  MessageId,
  OpenConversation,
} from '../../../shared/chat/chat.ts';
import type { Calls } from '../../api/client.ts';
import { isNotFoundError } from '../../format/errors.ts';
import { subscribeToChat } from './subscribe.ts';
import { MessageCache, isRunning } from './message-cache.ts';

/** The state of a conversation on the page. `gone`: it was deleted; `unknown`: there is none with this id, or no longer. */
export type ChatState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'open'; readonly open: OpenConversation }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unknown' };

/** Number of latest messages per lane that are fetched with the conversation itself, because they are shown first. */
const TAIL_LENGTH = 12;
const MAX_REQUESTED = 100;
const MAX_MESSAGES = 2_000;
const REFETCH_MS = 1_000;
const NONE: readonly MessageId[] = [];

/** One conversation: followed while it is shown, its messages fetched as they become visible. */
export class ConversationStore {
  readonly id: ConversationId;
  readonly #calls: Calls['chat'];
  readonly #cache = new MessageCache();
  readonly #stateListeners = new Set<() => void>();
  readonly #messageListeners = new Map<MessageId, Set<() => void>>();
  #state: ChatState = { kind: 'loading' };
  #running = NONE;
  /** Answers that were requested here, or seen in progress, until an event reports their end. */
  readonly #started = new Set<MessageId>();
  #requested = new Set<MessageId>();
  #loading: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor(calls: Calls['chat'], id: ConversationId) {
    this.#calls = calls;
    this.id = id;
  }

  readonly state = (): ChatState => this.#state;

  /** The answers in progress at the ends of the lanes. The array changes only when they do. */
  readonly running = (): readonly MessageId[] => this.#running;

  /** Calls the listener when the state or the running answers have changed. Returns a function that unsubscribes. */
  readonly onState = (listener: () => void): (() => void) => {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.delete(listener);
  };

  /** Returns a message if it is loaded. A missing one is fetched once it has a listener. */
  message(id: MessageId): ChatMessage | undefined {
    return this.#cache.get(id);
  }

  /** Calls the listener whenever the message has changed, and fetches the message. Returns a function that unsubscribes. */
  onMessage(id: MessageId, listener: () => void): () => void {
    const listeners = this.#messageListeners.get(id) ?? new Set();
    this.#messageListeners.set(id, listeners.add(listener));
    this.request([id]);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#messageListeners.delete(id);
    };
  }

  /** Follows the conversation until stopped. */
  follow(): () => void {
    return subscribeToChat(this.#calls, this.id, {
      onBegin: () => {
        this.#cache.markDisconnected();
        void this.reload();
      },
      onEvents: (events) => this.#onEvent(events),
      onGone: () => this.#setMissing(),
    });
  }

  /** Adds answers as they start, before the first event about them. */
  begin(answers: readonly ChatMessage[]): void {
    for (const answer of answers) {
      this.#started.add(answer.id);
      if (this.#cache.get(answer.id) === undefined) this.#cache.setFetched(answer);
    }
  }

  /** Returns the answers that have ended since the last call, each once. */
  takeEnded(): readonly ChatMessage[] {
    const ended = [...this.#started].flatMap((id) => {
      const message = this.#cache.get(id);
      return message === undefined || isRunning(message) ? [] : [message];
    });
    for (const { id } of ended) this.#started.delete(id);
    return ended;
  }

  /** Fetches the conversation again. Resolves once the state has the result or the error. */
  reload(): Promise<void> {
    // A fetch in progress may already return an older state.
    this.#next ??= this.#loading.then(() => {
      this.#next = null;
      this.#loading = this.#load();
      return this.#loading;
    });
    return this.#next;
  }

  async #load(): Promise<void> {
    try {
      const open = await this.#calls.open.call({ id: this.id });
      const tails = open.paths.flatMap((path) => path.slice(-TAIL_LENGTH).map(({ id }) => id));
      await this.#fetch(this.#cache.missing([...tails, ...this.#messageListeners.keys()]));
      this.#setState({ kind: 'open', open });
    } catch (error) {
      if (isNotFoundError(error)) this.#setMissing();
      // A loaded conversation stays visible: a notice tells of a lost engine.
      else if (this.#state.kind !== 'open') this.#setState({ kind: 'failed', error });
    }
  }

  /** Only one that was open here is known to have existed. */
  #setMissing(): void {
    const wasOpen = this.#state.kind === 'open' || this.#state.kind === 'gone';
    this.#setState({ kind: wasOpen ? 'gone' : 'unknown' });
  }

  #setState(state: ChatState): void {
    this.#state = state;
    this.#updateRunning();
    this.#emitState();
  }

  #emitState(): void {
    for (const listener of this.#stateListeners) listener();
  }

  /** Updates the running answers; returns whether they have changed. */
  #updateRunning(): boolean {
    const ends =
      this.#state.kind === 'open' ? this.#state.open.paths.map((path) => path.at(-1)?.id) : [];
    const running = [...new Set(ends)].filter((id) => {
      const message = id === undefined ? undefined : this.#cache.get(id);
      return message !== undefined && isRunning(message);
    });
    const ids = running.filter((id) => id !== undefined);
    for (const id of ids) this.#started.add(id);
    if (ids.length === this.#running.length && ids.every((id, at) => id === this.#running[at])) {
      return false;
    }
    this.#running = ids;
    return true;
  }

  /** Fetches messages that are not loaded yet. */
  request(ids: readonly MessageId[]): void {
    if (this.#requested.size === 0) queueMicrotask(() => void this.#fetchRequested());
    for (const id of ids) this.#requested.add(id);
  }

  async #fetchRequested(): Promise<void> {
    const missing = this.#cache.missing(this.#requested);
    this.#requested = new Set();
    try {
      await this.#fetch(missing);
    } catch {
      // A notice tells of a lost engine; after a reconnect everything visible is fetched again.
    }
  }

  async #fetch(ids: readonly MessageId[]): Promise<void> {
    for (let from = 0; from < ids.length; from += MAX_REQUESTED) {
      const messages = await this.#calls.messages.call({
        ids: ids.slice(from, from + MAX_REQUESTED),
      });
      for (const message of messages) this.#cache.setFetched(message);
      this.#notify(messages.map(({ id }) => id));
    }
    const isNeeded = (id: MessageId) =>
      this.#messageListeners.has(id) || this.#running.includes(id);
    this.#cache.evict(MAX_MESSAGES, isNeeded);
    const unfed = this.#cache.runningWithoutFeed(ids);
    if (unfed.length > 0) setTimeout(() => this.#refetch(unfed), REFETCH_MS);
  }

  /** An answer may have ended between its fetch and the subscription. */
  #refetch(ids: readonly MessageId[]): void {
    this.#fetch(this.#cache.runningWithoutFeed(ids)).catch(() => undefined);
  }

  #onEvent(events: readonly ChatEvent[]): void {
    const changed = new Set<MessageId>();
    for (const event of events) {
      switch (event.kind) {
        case 'message':
          this.#cache.setLive(event.message);
          changed.add(event.message.id);
          break;
        case 'delta':
          if (this.#cache.appendDelta(event)) changed.add(event.id);
          break;
        case 'changed':
          this.#cache.markStale();
          void this.reload();
          break;
        case 'removed':
          break;
      }
    }
    this.#notify(changed);
    if (this.#updateRunning()) this.#emitState();
  }

  #notify(ids: Iterable<MessageId>): void {
    for (const id of ids) {
      for (const listener of this.#messageListeners.get(id) ?? []) listener();
    }
  }
}
