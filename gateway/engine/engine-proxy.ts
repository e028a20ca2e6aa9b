import { MemoryBudget, bodyMemoryBudget } from '../lib/memory-budget.ts';
import { openProxy, type Proxy } from '../proxy/proxy.ts';
import type { VideoRunner } from '../videos/videos.ts';
import type { EngineContext } from './context.ts';
import type { EngineCore } from './core.ts';

/** Opens the proxy on the current upstream. @throws PortInUseError, PortAccessError */
export async function openEngineProxy(
  {
    sessions,
    redact,
    bodies,
    runaways,
    openExchanges,
    orders,
  }: EngineCore & Pick<VideoRunner, 'orders'>,
  context: EngineContext,
): Promise<Proxy> {
  const { options, ownPorts, limits, id, pause, holds } = context;
  const { repositories, allowedOrigins, strict = false } = options;
  const { port, repairs, furtherListeners } = repositories.settings.current();
  const { log, now, randomBytes, command } = repositories.host;
  const gate = { allowedOrigins, via: `gatehouse-${id}` };
  const { clients } = repositories;
  const proxy = await openProxy({
    port: options.port ?? port,
    deps: {
      accessPolicy: gate,
      limits,
      memory: new MemoryBudget(options.limits?.heldBytes ?? bodyMemoryBudget()),
      clients,
      ownPorts,
      orders,
      bodies,
      asksForUsage: () => repositories.settings.current().asksForUsage,
      cutsStreams: () => repositories.settings.current().cutsStreams,
      aliases: repositories.aliases,
      prices: repositories.prices,
      openExchanges,
      spendLimits: await repositories.openSpendLimits(),
      runaways,
      report: context.report,
      onArrival: () => context.activity.emit(),
      control: context.control,
      pause,
      holds,
      command: command ?? 'gatehouse',
      log,
      redact,
      now,
      randomBytes,
    },
    upstream: sessions.binding,
    strict: strict || !repairs,
    onFurtherChange: () => context.changes.emit('status'),
  });
  context.closing.defer(() => proxy.close(0));
  await proxy.listenFurther(furtherListeners.map(({ address }) => address));
  sessions.setProxy(proxy);
  return proxy;
}
