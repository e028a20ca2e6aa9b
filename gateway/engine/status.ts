import type { Status } from '../../shared/status.ts';
import type { Proxy } from '../proxy/proxy.ts';
import type { UpstreamSessions } from '../upstreams/upstream-sessions.ts';
import type { EngineContext } from './context.ts';
import type { LastError } from './last-error.ts';
import type { SettingsController } from './settings-control.ts';
import type { SystemProxy } from '../platform.ts';
import { SANDBOX_KEY } from '../upstreams/upstream-session.ts';
import type { HealthSnapshot } from '../upstreams/upstream-health.ts';

/** The parts of the gateway that the status is read from. */
export interface StatusSources {
  readonly proxy: Proxy;
  readonly sessions: UpstreamSessions;
  readonly settings: SettingsController;
  readonly lastError: LastError;
}

/** Reads the state of the running gateway. */
export function readStatus(
  { id, startedAt, options, serviceLimits, pause }: EngineContext,
  { proxy, sessions, settings, lastError }: StatusSources,
): Status {
  const { upstream, keys, health, systemProxy } = sessions.current;
  const { repairs, setUp } = settings.inForce().settings;
  const root = `http://127.0.0.1:${proxy.port}`;
  return {
    version: options.version,
    engine: id,
    startedAt,
    port: proxy.port,
    baseUrls: { chat: `${root}/v1`, messages: root },
    upstream: { ...upstream, active: true },
    key: upstream.kind === 'sandbox' ? SANDBOX_KEY : keys.state(),
    ...withReason(health.snapshot, systemProxy),
    load: serviceLimits.of(upstream.baseUrl).load(),
    paused: pause.paused,
    lastError: lastError.latest,
    repairs,
    setUp,
    running: proxy.running,
  };
}

/** Adds the reason why the system's proxy is not used to the message of an unreachable service. */
function withReason(health: HealthSnapshot, { reason }: SystemProxy): HealthSnapshot {
  const { reach } = health;
  if (reach.state !== 'unreachable' || reason === null) return health;
  return { ...health, reach: { ...reach, sentence: `${reach.sentence} ${reason}` } };
}
