import type { Proxy } from '../../proxy/proxy.ts';
import type { EngineContext } from '../context.ts';
import type { EngineCore } from '../core.ts';
import { ExternalChangeSync } from './external-changes.ts';
import { type ChangedTopic, LiveEventBroadcaster } from '../live-event-broadcaster.ts';
import { SettingsController } from './settings-controller.ts';
import { UpstreamController } from './upstream-controller.ts';

/** Opens the controllers, and the events, for windows and other processes. */
export async function openControllers(proxy: Proxy, core: EngineCore, context: EngineContext) {
  const { options, changes, mutex, closing } = context;
  const { repositories, platform, pinned = {}, strict = false } = options;
  const { history, bodies, sessions, catalog, ring, pool, connecting } = core;
  const { log } = repositories.host;
  const { upstreams } = repositories;
  const onChange = (topic: ChangedTopic) => changes.emit(topic);
  const prune = () => {
    history
      .prune()
      .catch((error: unknown) =>
        log('warn', 'Old exchanges could not be deleted.', { reason: String(error) }),
      );
    void bodies.prune();
  };
  const settings = new SettingsController({
    settings: repositories.settings,
    proxy,
    platform,
    pinned,
    strict,
    prune,
    mutex,
    log,
    onChange,
  });
  const services = new UpstreamController({
    upstreams,
    catalog,
    sessions,
    ring,
    pool,
    host: repositories.host,
    connecting,
    pinned: pinned.upstream,
    mutex,
    onChange,
  });
  const live = new LiveEventBroadcaster({ history, proxy, changes });
  closing.defer(() => live.close());
  closing.defer(
    repositories.clients.on(() => {
      onChange('clients');
      void bodies.prune();
    }),
  );
  const step = new ExternalChangeSync({
    repositories,
    keyRing: ring,
    sessions,
    pool,
    settings,
    pinned: pinned.upstream !== undefined,
    mutex,
    onChange,
  });
  closing.defer(await step.start());
  return { settings, services, live };
}
