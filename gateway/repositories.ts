import { type DailyCopies, Databases, removeCopies, startDailyCopies } from './backup/backup.ts';
import { type Aliases, openAliases } from './aliases/aliases.ts';
import type { Conversations } from './chat/chat.ts';
import { type Clients, openClients } from './clients/clients.ts';
import type { Host } from './host.ts';
import { openPriceBook, type PriceBook } from './prices/prices.ts';
import { openSpendLimits, type SpendLimits } from './spend-limits/spend-limits.ts';
import {
  openSavedFilters,
  openSettings,
  type SavedFilters,
  type SettingsRepository,
} from './settings/settings.ts';
import {
  type ChatTables,
  type SecretGuard,
  openChatStore,
  createSecretGuard,
  openStore,
  type StartedWorker,
  type Store,
} from './store/store.ts';
import { openTrustedClock, type TrustedClock } from './store/trusted-clock.ts';
import { openUpstreams, type Upstreams } from './upstreams/upstreams.ts';
import { openVideos, type VideosModule } from './videos/videos.ts';

/** The opened contents of a data folder. Most commands need nothing else. */
export interface Repositories {
  readonly host: Host;
  readonly store: Store;
  readonly clients: Clients;
  readonly upstreams: Upstreams;
  readonly settings: SettingsRepository;
  readonly savedFilters: SavedFilters;
  readonly prices: PriceBook;
  readonly aliases: Aliases;
  /** Opens the limits of clients at the first call, because most commands do not need them. */
  openSpendLimits(): Promise<SpendLimits>;
  /** The clock by which old data is deleted. */
  readonly clock: TrustedClock;
  /** Videos to read and to decide about; a running gateway acts on them. */
  readonly videos: VideosModule;
  /** Opens the conversations and their database at the first call, because most commands do not need them. */
  openChatRepository(): Promise<ChatRepository>;
  /** When a service key was last changed before the opening. A key that is read later is at least as new. */
  readonly keyChangedAt: number | null;
  close(): Promise<void>;
}

/** The opened conversations. A running gateway generates the answers. */
export interface ChatRepository {
  readonly store: Store<ChatTables>;
  readonly conversations: Conversations;
}

export interface RepositoriesOptions {
  readonly host: Host;
  /** One more local key from the environment, which is not stored. */
  readonly fixedLocalKey?: string;
  /** Whether this process serves the data folder: it checks for damage, repairs what it can, and makes copies. */
  readonly serves?: boolean;
  /** Thread that was started for the database; a new one by default. It ends when the opening rejects. */
  readonly worker?: StartedWorker;
}

/** Time from the opening to the first copy, which must not delay a start. */
const COPY_DELAY_MS = 1_000;

/** Opens the contents of a data folder. @throws StoreError, ClientError */
export async function openRepositories(options: RepositoriesOptions): Promise<Repositories> {
  const databases = new Databases(options.host, options.serves ?? false);
  return await databases.withRestoreAdvice(
    'gatehouse',
    async () => await openParts(options, databases),
  );
}

async function openParts(
  { host, fixedLocalKey, serves = false, worker }: RepositoriesOptions,
  databases: Databases,
): Promise<Repositories> {
  const { now, randomBytes, log } = host;
  await using opened = new AsyncDisposableStack();
  opened.defer(() => databases.stopChecks());
  const guard = createSecretGuard();
  const store = await databases.open(
    'gatehouse',
    async (file, how) => await openStore(file, { ...how, guard }),
    worker,
  );
  opened.defer(() => store.close());
  const copies = serves ? startDailyCopies(host, COPY_DELAY_MS) : null;
  opened.defer(async () => await copies?.close());
  const fixed = fixedLocalKey === undefined ? {} : { fixedLocalKey };
  const clients = await openClients({ store, now, randomBytes, log, ...fixed });
  const upstreams = openUpstreams({ store, randomBytes });
  const settings = await openSettings({ store, log });
  const prices = await openPriceBook({ store, now, log });
  const aliases = await openAliases({ store, now, randomBytes, log });
  const clock = await openTrustedClock({ store, log, now });
  const videos = openVideos({ store, host, upstreams, prices, clock });
  const keyChangedAt = await upstreams.keyChangedAt();
  let chats: Promise<ChatRepository> | null = null;
  let spendLimits: Promise<SpendLimits> | null = null;
  opened.defer(async () => await (await chats?.catch(() => null))?.store.close());
  const rest = opened.move();
  return {
    host,
    store,
    clients,
    upstreams,
    settings,
    savedFilters: openSavedFilters(store),
    prices,
    aliases,
    clock,
    videos,
    keyChangedAt,
    openSpendLimits: () =>
      (spendLimits ??= openSpendLimits({
        ...host,
        command: host.command ?? 'gatehouse',
        store,
        confirmedNow: () => clock.now(),
        currency: () => settings.current().currency,
        refusesUnpriced: () => settings.current().refusesUnpriced,
      })),
    openChatRepository: () =>
      (chats ??= openChatRepository({ host, clock, databases, copies, guard }).catch(
        (error: unknown) => {
          // A full disk may have space later.
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
  const { openConversations } = await import('./chat/chat.ts');
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
