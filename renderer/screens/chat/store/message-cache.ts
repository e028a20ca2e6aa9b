import type { ChatEvent, ChatMessage, MessageId } from '../../../../shared/chat.ts';

interface CachedMessage {
  readonly message: ChatMessage;
  /** Heard from the engine as it happened: newer than anything that was asked for. */
  readonly isLive: boolean;
  /** It may have changed since. */
  readonly stale: boolean;
}

type MessageDelta = Extract<ChatEvent, { kind: 'more' }>;

/** The messages that a page knows, whichever way each came. */
export class MessageCache {
  readonly #messages = new Map<MessageId, CachedMessage>();

  get(id: MessageId): ChatMessage | undefined {
    return this.#messages.get(id)?.message;
  }

  /** A message as it is now. */
  setLive(message: ChatMessage): void {
    this.#messages.set(message.id, { message, isLive: true, stale: false });
  }

  /** What came since, behind what was told; for a message that was not, it has no place. */
  appendDelta({ id, text, reasoning }: MessageDelta): boolean {
    const held = this.#messages.get(id);
    if (held?.isLive !== true) return false;
    const { message } = held;
    const longer = {
      ...message,
      text: message.text + text,
      reasoning: message.reasoning + reasoning,
    };
    this.#messages.set(id, { ...held, message: longer });
    return true;
  }

  /** Takes a message that was asked for. What was told meanwhile is newer; only its place in the tree may be another. */
  setFetched(message: ChatMessage): void {
    const held = this.#messages.get(message.id);
    if (held?.isLive !== true) {
      this.#messages.set(message.id, { message, isLive: false, stale: false });
    } else {
      const { siblings } = message;
      this.#messages.set(message.id, {
        ...held,
        message: { ...held.message, siblings },
        stale: false,
      });
    }
  }

  /** Those that must be asked for. */
  missing(ids: Iterable<MessageId>): MessageId[] {
    return [...new Set(ids)].filter((id) => this.#messages.get(id)?.stale !== false);
  }

  /** Everything is to be asked for anew; until then it stays as it is. */
  markStale(): void {
    for (const [id, held] of this.#messages) this.#messages.set(id, { ...held, stale: true });
  }

  /** Nothing more is told: whatever was may have gone on unheard. */
  markDisconnected(): void {
    for (const [id, { message }] of this.#messages)
      this.#messages.set(id, { message, isLive: false, stale: true });
  }

  /** Messages that are on their way without anybody telling of them. */
  runningWithoutFeed(ids: Iterable<MessageId>): MessageId[] {
    return [...ids].filter((id) => {
      const held = this.#messages.get(id);
      return held !== undefined && !held.isLive && isRunning(held.message);
    });
  }

  /** Lets go of the longest held ones beyond a number, but not of these. */
  evict(most: number, keep: (id: MessageId) => boolean): void {
    if (this.#messages.size <= most) return;
    for (const id of this.#messages.keys()) {
      if (this.#messages.size <= most) return;
      if (!keep(id)) this.#messages.delete(id);
    }
  }
}

/** Whether an answer is on its way. */
export function isRunning({ answer }: Pick<ChatMessage, 'answer'>): boolean {
  return answer?.state === 'waiting' || answer?.state === 'streaming';
}
