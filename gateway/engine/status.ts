import type { Status } from '../../shared/status.ts';
import type { Engine, EngineOptions } from './engine.ts';
import type { SystemProxy } from '../platform.ts';
import { SANDBOX_KEY } from '../upstreams/upstream-session.ts';
import type { HealthSnapshot } from '../upstreams/upstream-health.ts';

/** The running Gatehouse at a glance. */
export function readStatus({ version }: EngineOptions, engine: Engine): Status {
  const { id, startedAt, proxy, sessions, limits, settings, pause, lastError } = engine;
  const { upstream, keys, health: reach, systemProxy } = sessions.current;
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
    ...withReason(reach.snapshot, systemProxy),
    load: limits.of(upstream.baseUrl).load(),
    paused: pause.paused,
    lastError: lastError.latest,
    repairs,
    setUp,
    running: proxy.running,
  };
}

/** A proxy that cannot be used may be why nothing answers. */
function withReason(outlook: HealthSnapshot, { reason }: SystemProxy): HealthSnapshot {
  const { reach } = outlook;
  if (reach.state !== 'unreachable' || reason === null) return outlook;
  return { ...outlook, reach: { ...reach, sentence: `${reach.sentence} ${reason}` } };
}
