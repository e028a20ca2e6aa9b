import type {
  ChatEvent,
  ChatMessage,
  ConversationId,
  MessageId,
  OpenConversation,
} from '../../../shared/chat.ts';
import type { Calls } from '../../client/client.ts';
import { followChat, isGone } from './follow-chat.ts';
import { HeldMessages, isRunning } from './held-messages.ts';

/** How a conversation stands before the page. `gone`: it was deleted, or never was. */
export type ChatState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'open'; readonly open: OpenConversation }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'gone' };

/** The latest of every lane are there with the conversation itself: whoever opens it looks at them first. */
const TAIL = 12;
const MOST_ASKED = 100;
const MOST_HELD = 2_000;
const ASKED_AGAIN_MS = 1_000;
const NONE: readonly MessageId[] = [];

/** One conversation as it is now: followed while it is shown, its messages fetched as they come into sight. */
export class OpenChat {
  readonly id: ConversationId;
  readonly #calls: Calls['chat'];
  readonly #held = new HeldMessages();
  readonly #stateListeners = new Set<() => void>();
  readonly #messageListeners = new Map<MessageId, Set<() => void>>();
  #state: ChatState = { kind: 'loading' };
  #running = NONE;
  /** Answers that were asked for here, or seen on their way, until they are told to have ended. */
  readonly #begun = new Set<MessageId>();
  #wanted = new Set<MessageId>();
  #loading: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor(calls: Calls['chat'], id: ConversationId) {
    this.#calls = calls;
    this.id = id;
  }

  readonly state = (): ChatState => this.#state;

  /** The answers on their way at the ends of the lanes. Another list only when there are others. */
  readonly running = (): readonly MessageId[] => this.#running;

  /** Calls the listener when the state, or what is running, has changed. Returns what stops it. */
  readonly onState = (listener: () => void): (() => void) => {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.delete(listener);
  };

  /** A message as it is known; asked for when it is not, once somebody listens. */
  message(id: MessageId): ChatMessage | undefined {
    return this.#held.get(id);
  }

  /** Calls the listener whenever the message has changed, and has it fetched. Returns what stops it. */
  onMessage(id: MessageId, listener: () => void): () => void {
    const listeners = this.#messageListeners.get(id) ?? new Set();
    this.#messageListeners.set(id, listeners.add(listener));
    this.want([id]);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#messageListeners.delete(id);
    };
  }

  /** Follows the conversation until stopped. */
  follow(): () => void {
    return followChat(this.#calls, this.id, {
      onBegin: () => {
        this.#held.deafen();
        void this.reload();
      },
      onEvents: (events) => this.#hear(events),
      onGone: () => this.#turn({ kind: 'gone' }),
    });
  }

  /** Takes answers as they begin, before anybody tells of them. */
  begin(answers: readonly ChatMessage[]): void {
    for (const answer of answers) {
      this.#begun.add(answer.id);
      if (this.#held.get(answer.id) === undefined) this.#held.take(answer);
    }
  }

  /** The answers that have ended since they began here or were seen on their way: each is given once. */
  takeEnded(): readonly ChatMessage[] {
    const ended = [...this.#begun].flatMap((id) => {
      const message = this.#held.get(id);
      return message === undefined || isRunning(message) ? [] : [message];
    });
    for (const { id } of ended) this.#begun.delete(id);
    return ended;
  }

  /** Asks for the conversation anew. Resolves once the page shows what it was then, or what stood in the way. */
  reload(): Promise<void> {
    // What is being asked for at this moment may already be older.
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
      const tails = open.paths.flatMap((path) => path.slice(-TAIL).map(({ id }) => id));
      await this.#fetch(this.#held.missing([...tails, ...this.#messageListeners.keys()]));
      this.#turn({ kind: 'open', open });
    } catch (error) {
      if (isGone(error)) this.#turn({ kind: 'gone' });
      // Whoever reads already keeps what there is: the frame tells that the engine is gone.
      else if (this.#state.kind !== 'open') this.#turn({ kind: 'failed', error });
    }
  }

  #turn(state: ChatState): void {
    this.#state = state;
    this.#look();
    this.#tellState();
  }

  #tellState(): void {
    for (const listener of this.#stateListeners) listener();
  }

  /** Looks what is on its way now. Whether that is another than before. */
  #look(): boolean {
    const ends =
      this.#state.kind === 'open' ? this.#state.open.paths.map((path) => path.at(-1)?.id) : [];
    const running = [...new Set(ends)].filter((id) => {
      const message = id === undefined ? undefined : this.#held.get(id);
      return message !== undefined && isRunning(message);
    });
    const ids = running.filter((id) => id !== undefined);
    for (const id of ids) this.#begun.add(id);
    if (ids.length === this.#running.length && ids.every((id, at) => id === this.#running[at])) {
      return false;
    }
    this.#running = ids;
    return true;
  }

  /** Has messages fetched that are not here yet. */
  want(ids: readonly MessageId[]): void {
    if (this.#wanted.size === 0) queueMicrotask(() => void this.#fetchWanted());
    for (const id of ids) this.#wanted.add(id);
  }

  async #fetchWanted(): Promise<void> {
    const wanted = this.#held.missing(this.#wanted);
    this.#wanted = new Set();
    try {
      await this.#fetch(wanted);
    } catch {
      // The frame tells that the engine is gone; when it is back, everything in sight is asked for again.
    }
  }

  async #fetch(ids: readonly MessageId[]): Promise<void> {
    for (let from = 0; from < ids.length; from += MOST_ASKED) {
      const messages = await this.#calls.messages.call({ ids: ids.slice(from, from + MOST_ASKED) });
      for (const message of messages) this.#held.take(message);
      this.#tell(messages.map(({ id }) => id));
    }
    const isNeeded = (id: MessageId) =>
      this.#messageListeners.has(id) || this.#running.includes(id);
    this.#held.trim(MOST_HELD, isNeeded);
    const untold = this.#held.untold(ids);
    if (untold.length > 0) setTimeout(() => this.#askAgain(untold), ASKED_AGAIN_MS);
  }

  /** An answer may have ended in the moment between being asked for and being followed. */
  #askAgain(ids: readonly MessageId[]): void {
    this.#fetch(this.#held.untold(ids)).catch(() => undefined);
  }

  #hear(events: readonly ChatEvent[]): void {
    const changed = new Set<MessageId>();
    for (const event of events) {
      switch (event.kind) {
        case 'message':
          this.#held.tell(event.message);
          changed.add(event.message.id);
          break;
        case 'more':
          if (this.#held.tellMore(event)) changed.add(event.id);
          break;
        case 'changed':
          this.#held.age();
          void this.reload();
          break;
        case 'removed':
          break;
      }
    }
    this.#tell(changed);
    if (this.#look()) this.#tellState();
  }

  #tell(ids: Iterable<MessageId>): void {
    for (const id of ids) {
      for (const listener of this.#messageListeners.get(id) ?? []) listener();
    }
  }
}
