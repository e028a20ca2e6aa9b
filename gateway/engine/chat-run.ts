import { CHAT_CLIENT_ID } from '../../shared/client.ts';
import { NO_MEDIA, UNKNOWN_USAGE } from '../../shared/exchange/usage.ts';
import type { Chat, LaneSize } from '../chat/chat.ts';
import type { History } from '../history/history.ts';
import type { Emitter } from '../lib/emitter.ts';
import type { Proxy } from '../proxy/proxy.ts';
import { UserError } from '../errors.ts';
import type { Repositories } from '../repositories.ts';
import type { KeyRing } from '../upstreams/key-ring.ts';
import type { UpstreamSessions } from '../upstreams/upstream-sessions.ts';
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
  const { estimates } = await repositories.openSpendLimits();
  const chat = await openChat({
    conversations,
    host: repositories.host,
    history,
    port: () => proxy.port,
    localKey: repositories.clients.ownKey('chat'),
    vendor: () => sessions.current.binding.target.vendor,
    secrets: () => ring.secrets(),
    redact,
    costOf: (size) =>
      estimateCost(size, {
        estimates,
        repositories,
        service: sessions.current.binding.service,
        models: sessions.current.models,
      }),
  });
  chat.on(() => changes.emit('chat'));
  return chat;
}

interface CostOptions {
  readonly estimates: Awaited<ReturnType<Repositories['openSpendLimits']>>['estimates'];
  readonly repositories: Pick<Repositories, 'aliases' | 'prices' | 'host'>;
  /** Stable id of the service in use. */
  readonly service: string;
  /** Its models. */
  readonly models: Pick<UpstreamSessions['current']['models'], 'has' | 'known'>;
}

/** Estimates what a request of the chat costs, in millionths of the currency; `null` when its price is not known. */
function estimateCost(
  { model: name, maxTokens, ...size }: LaneSize,
  { estimates, repositories: { aliases, prices, host }, service, models: offered }: CostOptions,
): number | null {
  const isOffered = offered.has(name) || offered.known().length === 0;
  const fallback = isOffered ? null : aliases.findDefault(CHAT_CLIENT_ID);
  const model = (aliases.find(CHAT_CLIENT_ID, name) ?? fallback)?.model ?? name;
  const of = { clientId: CHAT_CLIENT_ID, model, streamed: true, size };
  const media = { ...NO_MEDIA, images: size.images };
  const usage = { ...UNKNOWN_USAGE, ...estimates.estimate(of, maxTokens), media };
  const models = { modelAsked: name, modelSent: model, modelServed: null };
  const request = {
    service,
    route: 'chat',
    startedAt: host.now(),
    ...models,
    video: null,
  } as const;
  return prices.expectCost(request, { ...usage, source: 'estimated' });
}
