import { CHAT_CLIENT_ID } from '../../shared/client.ts';
import type { Chat } from '../chat/chat.ts';
import type { History } from '../history/history.ts';
import type { Emitter } from '../lib/emitter.ts';
import type { Proxy } from '../proxy/proxy.ts';
import { UserError } from '../errors.ts';
import type { Repositories } from '../repositories.ts';
import type { KeyRing } from '../upstreams/key-ring.ts';
import type { UpstreamSessions } from '../upstreams/upstream-sessions.ts';
import { createCostEstimate } from './exchanges/expect-cost.ts';
import type { ChangedTopic } from './live-event-broadcaster.ts';

export interface ChatRunOptions {
  readonly repositories: Repositories;
  readonly history: History;
  readonly proxy: Proxy;
  readonly sessions: UpstreamSessions;
  readonly ring: Pick<KeyRing, 'secrets'>;
  readonly redact: (text: string) => string;
  readonly changes: Emitter<ChangedTopic>;
}

/** Runs the chat as a client of the engine's own proxy. It is opened at its first use, so that a start does not wait for it. */
export class ChatRun {
  readonly #options: ChatRunOptions;
  #chat: Promise<Chat> | null = null;
  #ending = false;

  constructor(options: ChatRunOptions) {
    this.#options = options;
  }

  /** Opens the chat at the first call. @throws UserError when the engine ends; StoreError */
  readonly open = async (): Promise<Chat> => {
    if (this.#chat === null && this.#ending) throw new UserError('Gatehouse is quitting.');
    this.#chat ??= openChatOn(this.#options).catch((error: unknown) => {
      // A full disk may have space later.
      this.#chat = null;
      throw error;
    });
    return await this.#chat;
  };

  /** Closes the chat like `Chat.close`. It may be called again with less time. */
  async close(drainMs: number): Promise<void> {
    this.#ending = true;
    const chat = await this.#chat?.catch(() => null);
    await chat?.close(drainMs);
  }
}

async function openChatOn(options: ChatRunOptions): Promise<Chat> {
  const { repositories, history, proxy, sessions, ring, redact, changes } = options;
  const { openChat } = await import('../chat/chat.ts');
  const { conversations } = await repositories.openChatRepository();
  const expectCost = await createCostEstimate(CHAT_CLIENT_ID, { repositories, sessions });
  const chat = await openChat({
    conversations,
    host: repositories.host,
    history,
    port: () => proxy.port,
    localKey: repositories.clients.ownKey('chat'),
    vendor: () => sessions.current.binding.target.vendor,
    secrets: () => ring.secrets(),
    redact,
    costOf: (size) => expectCost(size).amount,
  });
  chat.on(() => changes.emit('chat'));
  return chat;
}
