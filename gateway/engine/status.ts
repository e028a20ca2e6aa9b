import type { Status } from '../../shared/status.ts';
import type { Engine, EngineOptions } from './engine.ts';
import { SANDBOX_KEY } from './link.ts';

/** The running Gatehouse at a glance. */
export function statusOf({ version, rooms }: EngineOptions, engine: Engine): Status {
  const { id, startedAt, proxy, links, settings, pause, lastError } = engine;
  const { upstream, keys, reach } = links.current;
  const { repairs, setUp } = settings.inForce().settings;
  const root = `http://127.0.0.1:${proxy.port}`;
  return {
    version,
    engine: id,
    startedAt,
    port: proxy.port,
    baseUrls: { chat: `${root}/v1`, messages: root },
    upstream: { ...upstream, active: true },
    key: upstream.kind === 'sandbox' ? SANDBOX_KEY : keys.state(),
    ...reach.outlook,
    paused: pause.paused,
    lastError: lastError.latest,
    repairs,
    setUp,
    running: proxy.running,
    command: rooms.host.command ?? 'gatehouse',
  };
}
