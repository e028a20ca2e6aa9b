import { setTimeout as pause } from 'node:timers/promises';
import type { ChatEvent, ChatMessage, ConversationId } from '../../shared/chat/chat.ts';

export interface ConversationFeedOptions {
  /** Returns the running answers of a conversation, as they are now. */
  readonly running: (id: ConversationId) => readonly ChatMessage[];
  /** Returns the latest message of each lane, as saved. @throws NotFoundError */
  readonly laneHeads: (id: ConversationId) => Promise<readonly ChatMessage[]>;
}

/** More frequent than the eye can follow, and rare enough for a page that renders each time. */
const DELTA_INTERVAL_MS = 30;

/** Distributes the events of conversations to listeners. */
export class ConversationFeed {
  readonly #options: ConversationFeedOptions;
  readonly #queues = new Map<ConversationId, Set<CoalescingQueue>>();

  constructor(options: ConversationFeedOptions) {
    this.#options = options;
  }

  publish(id: ConversationId, event: ChatEvent): void {
    for (const queue of this.#queues.get(id) ?? []) queue.put(event);
  }

  /** Notifies listeners that all conversations were removed. */
  publishAllRemoved(): void {
    for (const id of this.#queues.keys()) this.publish(id, { kind: 'removed' });
  }

  /**
   * Streams the running answers as they are now, and the latest message of each lane, which may have ended while nobody
   * listened; then every change. A slow listener receives merged events.
   * @throws NotFoundError
   */
  async *follow(
    id: ConversationId,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<ChatEvent, void, void> {
    const queue = new CoalescingQueue();
    const onAbort = () => queue.wake();
    signal?.addEventListener('abort', onAbort);
    this.#subscribe(id, queue);
    try {
      const shown = await this.#options.laneHeads(id);
      queue.begin(this.#options.running(id), shown);
      for (;;) {
        if (signal?.aborted === true) return;
        const event = queue.take();
        if (event === undefined) {
          await queue.woken();
          continue;
        }
        yield event;
        if (event.kind === 'removed') return;
        if (event.kind === 'delta') {
          await pause(DELTA_INTERVAL_MS, undefined, { ref: false });
        }
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#unsubscribe(id, queue);
    }
  }

  #subscribe(id: ConversationId, queue: CoalescingQueue): void {
    const queues = this.#queues.get(id) ?? new Set();
    this.#queues.set(id, queues.add(queue));
  }

  #unsubscribe(id: ConversationId, queue: CoalescingQueue): void {
    const queues = this.#queues.get(id);
    queues?.delete(queue);
    if (queues?.size === 0) this.#queues.delete(id);
  }
}

/** Queues events for one listener: at most one event per message, so that a slow one is not flooded. */
export class CoalescingQueue {
  readonly #pending = new Map<string, ChatEvent>();
  #wake = Promise.withResolvers<void>();

  put(event: ChatEvent): void {
    const key = eventKey(event);
    if (event.kind === 'removed') this.#pending.clear();
    this.#pending.set(key, mergeEvents(this.#pending.get(key), event));
    this.wake();
  }

  /** Wakes the waiting listener to check its conditions again. */
  wake(): void {
    this.#wake.resolve();
  }

  /**
   * Queues complete running answers, so that older events are included; then the shown messages, unless newer events are
   * queued.
   */
  begin(running: readonly ChatMessage[], shown: readonly ChatMessage[]): void {
    if (this.#pending.has('removed')) return;
    for (const message of running) this.put({ kind: 'message', message });
    for (const message of shown) {
      if (!this.#pending.has(message.id)) this.put({ kind: 'message', message });
    }
  }

  take(): ChatEvent | undefined {
    const [next] = this.#pending;
    if (next === undefined) return undefined;
    this.#pending.delete(next[0]);
    return next[1];
  }

  /** Resolves when an event is queued, or after `wake`. */
  async woken(): Promise<void> {
    if (this.#pending.size > 0) return;
    this.#wake = Promise.withResolvers<void>();
    await this.#wake.promise;
  }
}

function eventKey(event: ChatEvent): string {
  if (event.kind === 'message') return event.message.id;
  return event.kind === 'delta' ? event.id : event.kind;
}

/** Merges two events of the same message. */
function mergeEvents(before: ChatEvent | undefined, event: ChatEvent): ChatEvent {
  if (event.kind !== 'delta') return event;
  if (before?.kind === 'delta') {
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
