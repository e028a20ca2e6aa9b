import type { ChatEvent, ChatMessage, MessageId } from '../../../shared/chat/chat.ts';

interface CachedMessage {
  readonly message: ChatMessage;
  /** Whether an event delivered it: it is then newer than any fetched version. */
  readonly isLive: boolean;
  /** Whether it may be out of date. */
  readonly stale: boolean;
}

type MessageDelta = Extract<ChatEvent, { kind: 'delta' }>;

/** The messages that a page knows, from events and from fetches. */
export class MessageCache {
  readonly #messages = new Map<MessageId, CachedMessage>();

  get(id: MessageId): ChatMessage | undefined {
    return this.#messages.get(id)?.message;
  }

  /** Stores the current state of a message from an event. */
  setLive(message: ChatMessage): void {
    this.#messages.set(message.id, { message, isLive: true, stale: false });
  }

  /** Appends new text to a message from an event; ignored for a message that no event has delivered. */
  appendDelta({ id, text, reasoning }: MessageDelta): boolean {
    const cached = this.#messages.get(id);
    if (cached?.isLive !== true) return false;
    const { message } = cached;
    const longer = {
      ...message,
      text: message.text + text,
      reasoning: message.reasoning + reasoning,
    };
    this.#messages.set(id, { ...cached, message: longer });
    return true;
  }

  /** Stores a fetched message. A version from an event meanwhile is newer; only its position in the tree may be updated. */
  setFetched(message: ChatMessage): void {
    const cached = this.#messages.get(message.id);
    if (cached?.isLive !== true) {
      this.#messages.set(message.id, { message, isLive: false, stale: false });
    } else {
      const { siblings } = message;
      this.#messages.set(message.id, {
        ...cached,
        message: { ...cached.message, siblings },
        stale: false,
      });
    }
  }

  /** Returns the ids that must be fetched. */
  missing(ids: Iterable<MessageId>): MessageId[] {
    return [...new Set(ids)].filter((id) => this.#messages.get(id)?.stale !== false);
  }

  /** Marks all messages to be fetched again; until then they stay as they are. */
  markStale(): void {
    for (const [id, cached] of this.#messages) this.#messages.set(id, { ...cached, stale: true });
  }

  /** Marks the end of the event stream: messages may have changed without an event. */
  markDisconnected(): void {
    for (const [id, { message }] of this.#messages)
      this.#messages.set(id, { message, isLive: false, stale: true });
  }

  /** Returns the ids of unfinished messages that no event stream updates. */
  runningWithoutFeed(ids: Iterable<MessageId>): MessageId[] {
    return [...ids].filter((id) => {
      const cached = this.#messages.get(id);
      return cached !== undefined && !cached.isLive && isRunning(cached.message);
    });
  }

  /** Evicts the oldest messages beyond a maximum, except the given ones. */
  evict(maxMessages: number, isProtected: (id: MessageId) => boolean): void {
    if (this.#messages.size <= maxMessages) return;
    for (const id of this.#messages.keys()) {
      if (this.#messages.size <= maxMessages) return;
      if (!isProtected(id)) this.#messages.delete(id);
    }
  }
}

/** Whether an answer is in progress. */
export function isRunning({ answer }: Pick<ChatMessage, 'answer'>): boolean {
  return answer?.state === 'waiting' || answer?.state === 'streaming';
}
