import { setTimeout as pause } from 'node:timers/promises';
import type { ChatEvent, ChatMessage, ConversationId } from '../../shared/chat.ts';

export interface AudienceOptions {
  /** The answers of a conversation that are on their way, as they are now. */
  readonly running: (id: ConversationId) => readonly ChatMessage[];
  /** What its lanes have come to, as it is kept. @throws NotFound */
  readonly shown: (id: ConversationId) => Promise<readonly ChatMessage[]>;
}

/** More often than eyes can follow, and seldom enough for a page that draws each time. */
const BETWEEN_MORE_MS = 30;

/** Whoever looks at conversations. */
export class Audience {
  readonly #options: AudienceOptions;
  readonly #listeners = new Map<ConversationId, Set<Inbox>>();

  constructor(options: AudienceOptions) {
    this.#options = options;
  }

  tell(id: ConversationId, event: ChatEvent): void {
    for (const inbox of this.#listeners.get(id) ?? []) inbox.put(event);
  }

  /** Says that all conversations are gone. */
  tellAllRemoved(): void {
    for (const id of this.#listeners.keys()) this.tell(id, { kind: 'removed' });
  }

  /**
   * Answers on their way as they are now, and what the lanes have come to, for that may have ended while nobody listened; from then on
   * everything. Who is slow gets what came meanwhile as one. @throws NotFound
   */
  async *follow(
    id: ConversationId,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<ChatEvent, void, void> {
    const inbox = new Inbox();
    const onAbort = () => inbox.wake();
    signal?.addEventListener('abort', onAbort);
    this.#enter(id, inbox);
    try {
      const shown = await this.#options.shown(id);
      inbox.begin(this.#options.running(id), shown);
      for (;;) {
        if (signal?.aborted === true) return;
        const event = inbox.take();
        if (event === undefined) {
          await inbox.woken();
          continue;
        }
        yield event;
        if (event.kind === 'removed') return;
        if (event.kind === 'more') {
          await pause(BETWEEN_MORE_MS, undefined, { ref: false });
        }
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#leave(id, inbox);
    }
  }

  #enter(id: ConversationId, inbox: Inbox): void {
    const inboxes = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, inboxes.add(inbox));
  }

  #leave(id: ConversationId, inbox: Inbox): void {
    const inboxes = this.#listeners.get(id);
    inboxes?.delete(inbox);
    if (inboxes?.size === 0) this.#listeners.delete(id);
  }
}

/** What waits for one listener: of each message one event at most, so that a slow one is not flooded. */
export class Inbox {
  readonly #waiting = new Map<string, ChatEvent>();
  #wake = Promise.withResolvers<void>();

  put(event: ChatEvent): void {
    const key = keyOf(event);
    if (event.kind === 'removed') this.#waiting.clear();
    this.#waiting.set(key, joined(this.#waiting.get(key), event));
    this.wake();
  }

  /** Has whoever waits look again. */
  wake(): void {
    this.#wake.resolve();
  }

  /** What is on its way is told whole, so that what waits for it is in it; what else is shown, unless it was heard of meanwhile. */
  begin(running: readonly ChatMessage[], shown: readonly ChatMessage[]): void {
    if (this.#waiting.has('removed')) return;
    for (const message of running) this.put({ kind: 'message', message });
    for (const message of shown) {
      if (!this.#waiting.has(message.id)) this.put({ kind: 'message', message });
    }
  }

  take(): ChatEvent | undefined {
    const [next] = this.#waiting;
    if (next === undefined) return undefined;
    this.#waiting.delete(next[0]);
    return next[1];
  }

  /** Resolves when something waits, or there is another reason to look. */
  async woken(): Promise<void> {
    if (this.#waiting.size > 0) return;
    this.#wake = Promise.withResolvers<void>();
    await this.#wake.promise;
  }
}

function keyOf(event: ChatEvent): string {
  if (event.kind === 'message') return event.message.id;
  return event.kind === 'more' ? event.id : event.kind;
}

/** Both as one event of the same message. */
function joined(before: ChatEvent | undefined, event: ChatEvent): ChatEvent {
  if (event.kind !== 'more') return event;
  if (before?.kind === 'more') {
    const { text, reasoning } = before;
    return { ...event, text: text + event.text, reasoning: reasoning + event.reasoning };
  }
  if (before?.kind !== 'message') return event;
  const { message } = before;
  const text = message.text + event.text;
  return {
    kind: 'message',
    message: { ...message, text, reasoning: message.reasoning + event.reasoning },
  };
}
