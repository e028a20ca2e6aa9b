import { type Chat, openChat } from '../chat/chat.ts';
import type { History } from '../history/history.ts';
import type { Listeners } from '../listeners.ts';
import type { Proxy } from '../proxy/proxy.ts';
import { Refused } from '../refused.ts';
import type { Rooms } from '../rooms.ts';
import type { KeyRing } from './key-ring.ts';
import type { Links } from './links.ts';
import type { Changed } from './live.ts';

export interface ChatRunOptions {
  readonly rooms: Rooms;
  readonly history: History;
  readonly proxy: Proxy;
  readonly links: Links;
  readonly ring: Pick<KeyRing, 'secrets'>;
  readonly redact: (text: string) => string;
  readonly changes: Listeners<Changed>;
}

/** The chat on an engine's proxy, as one of its clients: opened when it is first asked for, for a start should not wait for it. */
export class ChatRun {
  readonly #options: ChatRunOptions;
  #chat: Promise<Chat> | null = null;
  #ending = false;

  constructor(options: ChatRunOptions) {
    this.#options = options;
  }

  /** Rejects with Refused when the engine ends, or with what the store says. */
  readonly open = async (): Promise<Chat> => {
    if (this.#chat === null && this.#ending) throw new Refused('Gatehouse is about to end.');
    this.#chat ??= openOn(this.#options).catch((error: unknown) => {
      // A disk that was full may have room later.
      this.#chat = null;
      throw error;
    });
    return await this.#chat;
  };

  /** As `Chat.close`. May be called again, with less time. */
  async close(drainMs: number): Promise<void> {
    this.#ending = true;
    const chat = await this.#chat?.catch(() => null);
    await chat?.close(drainMs);
  }
}

async function openOn(options: ChatRunOptions): Promise<Chat> {
  const { rooms, history, proxy, links, ring, redact, changes } = options;
  const { conversations } = await rooms.chats();
  const chat = await openChat({
    conversations,
    host: rooms.host,
    history,
    port: () => proxy.port,
    localKey: rooms.clients.chatKey(),
    vendor: () => links.current.forProxy.target.vendor,
    secrets: () => ring.secrets(),
    redact,
  });
  chat.on(() => changes.tell('chat'));
  return chat;
}
