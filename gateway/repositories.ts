import { type DailyCopies, Databases, removeCopies, startDailyCopies } from './backup/backup.ts';
import { type Conversations, openConversations } from './chat/chat.ts';
import { type Clients, openClients } from './clients/clients.ts';
import type { Host } from './host.ts';
import { openSettings, type SettingsRepository } from './settings/settings.ts';
import {
  type ChatTables,
  type SecretGuard,
  openChatStore,
  createSecretGuard,
  openStore,
  type Store,
} from './store/store.ts';
import { openTrustedClock, type TrustedClock } from './store/trusted-clock.ts';
import { openUpstreams, type Upstreams } from './upstreams/upstreams.ts';
import { openVideos, type VideosModule } from './videos/videos.ts';

/** What the data folder holds, open. Commands that only look or change something need no more than this. */
export interface Repositories {
  readonly host: Host;
  readonly store: Store;
  readonly clients: Clients;
  readonly upstreams: Upstreams;
  readonly settings: SettingsRepository;
  /** By which things are deleted for their age. */
  readonly clock: TrustedClock;
  /** Looked at and decided about here; a running gateway does the rest. */
  readonly videos: VideosModule;
  /** The conversations and their database: opened when they are first asked for, for most runs and commands need neither. */
  openChatRepository(): Promise<ChatRepository>;
  /** When a service key was last kept or removed, as it stood at the opening: a key read later is at least as new. */
  readonly keyChangedAt: number | null;
  close(): Promise<void>;
}

/** What is kept of conversations, open. Looked at and changed here; a running gateway has them answered. */
export interface ChatRepository {
  readonly store: Store<ChatTables>;
  readonly conversations: Conversations;
}

export interface RepositoriesOptions {
  readonly host: Host;
  /** One more local key, given by the environment and not kept. */
  readonly fixedLocalKey?: string;
  /** This process serves the data folder: it looks for damage, mends what it can, and keeps copies. */
  readonly serves?: boolean;
}

/** Opens the data folder. Rejects with StoreError or ClientRefused, whose messages are for people. */
export async function openRepositories(options: RepositoriesOptions): Promise<Repositories> {
  const databases = new Databases(options.host, options.serves ?? false);
  return await databases.withRestoreAdvice(
    'gatehouse',
    async () => await openParts(options, databases),
  );
}

async function openParts(
  { host, fixedLocalKey, serves = false }: RepositoriesOptions,
  databases: Databases,
): Promise<Repositories> {
  const { now, randomBytes, log } = host;
  await using opened = new AsyncDisposableStack();
  opened.defer(() => databases.stopChecks());
  const guard = createSecretGuard();
  const store = await databases.open(
    'gatehouse',
    async (file, how) => await openStore(file, { ...how, guard }),
  );
  opened.defer(() => store.close());
  const copies = serves ? startDailyCopies(host) : null;
  opened.defer(async () => await copies?.close());
  const fixed = fixedLocalKey === undefined ? {} : { fixedLocalKey };
  const clients = await openClients({ store, now, randomBytes, log, ...fixed });
  const upstreams = openUpstreams({ store, randomBytes });
  const settings = await openSettings({ store, log });
  const clock = await openTrustedClock({ store, log, now });
  const videos = openVideos({ store, host, upstreams, clock });
  const keyChangedAt = await upstreams.keyChangedAt();
  let chats: Promise<ChatRepository> | null = null;
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
    clock,
    videos,
    keyChangedAt,
    openChatRepository: () =>
      (chats ??= openChatRepository({ host, clock, databases, copies, guard }).catch(
        (error: unknown) => {
          // A disk that was full may have room later.
          chats = null;
          throw error;
        },
      )),
    close: () => rest.disposeAsync(),
  };
}

interface ChatRepositoryDeps {
  readonly host: Host;
  readonly clock: TrustedClock;
  readonly databases: Databases;
  readonly copies: DailyCopies | null;
  readonly guard: SecretGuard;
}

async function openChatRepository({
  host,
  clock,
  databases,
  copies,
  guard,
}: ChatRepositoryDeps): Promise<ChatRepository> {
  const store = await databases.withRestoreAdvice(
    'chat',
    async () =>
      await databases.open(
        'chat',
        async (file, how) => await openChatStore(file, { ...how, guard }),
      ),
  );
  const withoutCopies = async (work: () => Promise<void>) => {
    await work();
    await removeCopies(host.dataDir, 'chat');
  };
  const forgetWith = copies?.purgeWith ?? withoutCopies;
  return { store, conversations: openConversations({ store, host, clock, purgeWith: forgetWith }) };
}
