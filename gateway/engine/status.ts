import type { Upstream } from '../../shared/upstream.ts';
import type { Status } from '../../shared/status.ts';
import type { Proxy } from '../proxy/proxy.ts';
import type { UpstreamSessions } from '../upstreams/upstream-sessions.ts';
import type { EngineContext } from './context.ts';
import type { LastError } from './last-error.ts';
import type { SettingsController } from './controllers/settings-controller.ts';
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
  const { repairs, setUp, furtherListeners } = settings.effective().settings;
  const profiles = options.repositories.aliases.profiles();
  const root = `http://127.0.0.1:${proxy.port}`;
  return {
    version: options.version,
    engine: id,
    startedAt,
    port: proxy.port,
    baseUrls: { chat: `${root}/v1`, messages: root },
    furtherListeners: furtherListeners.map((listener) => ({
      ...listener,
      problem: proxy.furtherProblem(listener.address),
    })),
    upstream: { ...upstream, active: true },
    key: upstream.kind === 'sandbox' ? SANDBOX_KEY : keys.state(),
    ...withSandbox(withReason(health.snapshot, systemProxy), upstream),
    load: serviceLimits.of(upstream.baseUrl).load(),
    paused: pause.paused,
    pausedAt: pause.pausedAt,
    lastError: lastError.latest,
    profile: profiles.find(({ used }) => used)?.name ?? null,
    profiles: profiles.map(({ name }) => name),
    repairs,
    setUp,
    running: proxy.running,
  };
}

/** The sandbox is part of this process, so it is there before its first call, also after a switch of services. */
function withSandbox(health: HealthSnapshot, { kind }: Pick<Upstream, 'kind'>): HealthSnapshot {
  const { reach } = health;
  if (kind !== 'sandbox' || reach.state !== 'unknown') return health;
  return { ...health, reach: { ...reach, sentence: 'It is built in and needs no connection.' } };
}

/** Adds the reason why the system's proxy is not used to the message of an unreachable service. */
function withReason(health: HealthSnapshot, { reason }: SystemProxy): HealthSnapshot {
  const { reach } = health;
  if (reach.state !== 'unreachable' || reason === null) return health;
  return { ...health, reach: { ...reach, sentence: `${reach.sentence} ${reason}` } };
}
