import { type Chat, openChat } from '../chat/chat.ts';
import type { History } from '../history/history.ts';
import type { Listeners } from '../listeners.ts';
import type { Proxy } from '../proxy/proxy.ts';
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
  /** Closes what was opened, the latest first. */
  readonly closing: AsyncDisposableStack;
}

/** The chat on this engine's proxy, as one of its clients. */
export async function openChatRun(options: ChatRunOptions): Promise<Chat> {
  const { rooms, history, proxy, links, ring, redact, changes, closing } = options;
  const { conversations, clients, host } = rooms;
  const chat = await openChat({
    conversations,
    host,
    history,
    port: () => proxy.port,
    localKey: clients.chatKey(),
    vendor: () => links.current.forProxy.target.vendor,
    secrets: () => ring.secrets(),
    redact,
  });
  closing.defer(() => chat.close(0));
  closing.defer(chat.on(() => changes.tell('chat')));
  return chat;
}
