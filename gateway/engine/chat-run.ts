import { type Chat, openChat } from '../chat/chat.ts';
import type { History } from '../history/history.ts';
import type { Listeners } from '../listeners.ts';
import type { Proxy } from '../proxy/proxy.ts';
import type { Rooms } from '../rooms.ts';
import type { Changed } from './live.ts';

export interface ChatRunOptions {
  readonly rooms: Rooms;
  readonly history: History;
  readonly proxy: Proxy;
  readonly changes: Listeners<Changed>;
  /** Closes what was opened, the latest first. */
  readonly closing: AsyncDisposableStack;
}

/** The chat on this engine's proxy, as one of its clients. */
export async function openChatRun(options: ChatRunOptions): Promise<Chat> {
  const { rooms, history, proxy, changes, closing } = options;
  const { conversations, clients, host } = rooms;
  const localKey = clients.chatKey();
  const chat = await openChat({ conversations, host, history, port: () => proxy.port, localKey });
  closing.defer(() => chat.close(0));
  closing.defer(chat.on(() => changes.tell('chat')));
  return chat;
}
