import { join } from 'node:path';
import { type Conversations, openConversations } from './chat/chat.ts';
import { type Clients, openClients } from './clients/clients.ts';
import type { Host } from './host.ts';
import { openSettings, type SettingsRoom } from './settings/settings.ts';
import { type ChatTables, openChatStore, openStore, type Store } from './store/store.ts';
import { openUpstreams, type Upstreams } from './upstreams/upstreams.ts';
import { openVideos, type VideosRoom } from './videos/videos.ts';

/** What the data folder holds, open. Commands that only look or change something need no more than this. */
export interface Rooms {
  readonly host: Host;
  readonly store: Store;
  readonly clients: Clients;
  readonly upstreams: Upstreams;
  readonly settings: SettingsRoom;
  /** Looked at and decided about here; a running gateway does the rest. */
  readonly videos: VideosRoom;
  /** The conversations and their database: opened when they are first asked for, for most runs and commands need neither. */
  chats(): Promise<Chats>;
  /** When a service key was last kept or removed, as it stood at the opening: a key read later is at least as new. */
  readonly keyChangedAt: number | null;
  close(): Promise<void>;
}

/** What is kept of conversations, open. Looked at and changed here; a running gateway has them answered. */
export interface Chats {
  readonly store: Store<ChatTables>;
  readonly conversations: Conversations;
}

export interface RoomsOptions {
  readonly host: Host;
  /** One more local key, given by the environment and not kept. */
  readonly fixedLocalKey?: string;
}

/** Opens the data folder. Rejects with StoreError or ClientRefused, whose messages are for people. */
export async function openRooms({ host, fixedLocalKey }: RoomsOptions): Promise<Rooms> {
  const { now, randomBytes, log } = host;
  await using opened = new AsyncDisposableStack();
  const store = await openStore(join(host.dataDir, 'gatehouse.db'));
  opened.defer(() => store.close());
  const fixed = fixedLocalKey === undefined ? {} : { fixedLocalKey };
  const clients = await openClients({ store, now, randomBytes, ...fixed });
  const upstreams = openUpstreams({ store, randomBytes });
  const settings = await openSettings({ store, log });
  const videos = openVideos({ store, host, upstreams });
  const keyChangedAt = await upstreams.keyChangedAt();
  let chats: Promise<Chats> | null = null;
  opened.defer(async () => {
    const there = await chats?.catch(() => null);
    await there?.store.close();
  });
  const rest = opened.move();
  return {
    host,
    store,
    clients,
    upstreams,
    settings,
    videos,
    keyChangedAt,
    chats: () =>
      (chats ??= openChats(host).catch((error: unknown) => {
        // A disk that was full may have room later.
        chats = null;
        throw error;
      })),
    close: () => rest.disposeAsync(),
  };
}

async function openChats(host: Host): Promise<Chats> {
  const store = await openChatStore(join(host.dataDir, 'chat.db'));
  return { store, conversations: openConversations({ store, host }) };
}
