import type { ChatEvent, ChatMessage, MessageId } from '../../../shared/chat.ts';

interface Held {
  readonly message: ChatMessage;
  /** Heard from the engine as it happened: newer than anything that was asked for. */
  readonly told: boolean;
  /** It may have changed since. */
  readonly stale: boolean;
}

type More = Extract<ChatEvent, { kind: 'more' }>;

/** The messages that a page knows, whichever way each came. */
export class HeldMessages {
  readonly #held = new Map<MessageId, Held>();

  get(id: MessageId): ChatMessage | undefined {
    return this.#held.get(id)?.message;
  }

  /** A message as it is now. */
  tell(message: ChatMessage): void {
    this.#held.set(message.id, { message, told: true, stale: false });
  }

  /** What came since, behind what was told; for a message that was not, it has no place. */
  tellMore({ id, text, reasoning }: More): boolean {
    const held = this.#held.get(id);
    if (held?.told !== true) return false;
    const { message } = held;
    const longer = {
      ...message,
      text: message.text + text,
      reasoning: message.reasoning + reasoning,
    };
    this.#held.set(id, { ...held, message: longer });
    return true;
  }

  /** Takes a message that was asked for. What was told meanwhile is newer; only its place in the tree may be another. */
  take(message: ChatMessage): void {
    const held = this.#held.get(message.id);
    if (held?.told !== true) {
      this.#held.set(message.id, { message, told: false, stale: false });
    } else {
      const { siblings } = message;
      this.#held.set(message.id, { ...held, message: { ...held.message, siblings }, stale: false });
    }
  }

  /** Those that must be asked for. */
  missing(ids: Iterable<MessageId>): MessageId[] {
    return [...new Set(ids)].filter((id) => this.#held.get(id)?.stale !== false);
  }

  /** Everything is to be asked for anew; until then it stays as it is. */
  age(): void {
    for (const [id, held] of this.#held) this.#held.set(id, { ...held, stale: true });
  }

  /** Nothing more is told: whatever was may have gone on unheard. */
  deafen(): void {
    for (const [id, { message }] of this.#held)
      this.#held.set(id, { message, told: false, stale: true });
  }

  /** Messages that are on their way without anybody telling of them. */
  untold(ids: Iterable<MessageId>): MessageId[] {
    return [...ids].filter((id) => {
      const held = this.#held.get(id);
      return held !== undefined && !held.told && isRunning(held.message);
    });
  }

  /** Lets go of the longest held ones beyond a number, but not of these. */
  trim(most: number, keep: (id: MessageId) => boolean): void {
    if (this.#held.size <= most) return;
    for (const id of this.#held.keys()) {
      if (this.#held.size <= most) return;
      if (!keep(id)) this.#held.delete(id);
    }
  }
}

/** Whether an answer is on its way. */
export function isRunning({ answer }: Pick<ChatMessage, 'answer'>): boolean {
  return answer?.state === 'waiting' || answer?.state === 'streaming';
}
