import type { Upstream } from '../../shared/upstream.ts';
import { UserError } from '../errors.ts';
import { type History, openHistory } from '../history/history.ts';
import type { Host } from '../host.ts';
import { ConnectionPool, type ConnectionPoolOptions } from '../upstreams/connection-pool.ts';
import { type KeyRing, openKeyRing } from '../upstreams/key-ring.ts';
import { guardSecrets, openServiceKeys } from './service-keys.ts';
import { createSystemProxyResolver } from '../upstreams/system-proxy.ts';
import { UpstreamCatalog } from '../upstreams/upstream-catalog.ts';
import type { UpstreamSessionDeps } from '../upstreams/upstream-session.ts';
import { UpstreamSessions } from '../upstreams/upstream-sessions.ts';
import type { EngineContext } from './context.ts';
import { LastError } from './last-error.ts';

/** The parts below the proxy: upstreams, their keys and connections, and the history. */
export interface EngineCore {
  readonly catalog: UpstreamCatalog;
  readonly ring: KeyRing;
  readonly redact: (text: string) => string;
  readonly history: History;
  readonly lastError: LastError;
  readonly record: History['record'];
  readonly connecting: ConnectionPoolOptions;
  readonly pool: ConnectionPool;
  readonly sessions: UpstreamSessions;
}

/** Opens the core and a session of the upstream in use. It closes with the `closing` of the context. */
export async function openCore(context: EngineContext): Promise<EngineCore> {
  const { options, ownPorts, changes, limits, closing } = context;
  const { repositories, platform } = options;
  const { host, store, upstreams } = repositories;
  const { log, now } = host;
  const catalog = new UpstreamCatalog({ upstreams, platform, override: options.upstream });
  closing.defer(() => catalog.close());
  const ring = openKeyRing({
    open: (baseUrl) => openServiceKeys(baseUrl, catalog, options),
    onChange: (baseUrl) => {
      context.serviceLimits.of(baseUrl).keyChanged();
      for (const what of ['status', 'upstreams'] as const) changes.emit(what);
    },
  });
  closing.defer(() => ring.close());
  const redact = guardSecrets(ring, repositories);
  const getRetention = () => {
    const { keepDays, keepHeadersDays, mostMiB } = repositories.settings.current();
    return { days: keepDays, headersDays: keepHeadersDays, bytes: mostMiB * 2 ** 20 };
  };
  const history = openHistory({
    store,
    now,
    redact,
    log,
    getRetention,
    clock: repositories.clock,
  });
  closing.defer(() => history.close());
  const lastError = new LastError(redact);
  closing.defer(lastError.follow(history, () => changes.emit('status')));
  const record: History['record'] = (exchange, heads) => {
    history.record(exchange, heads);
    lastError.record(exchange);
  };
  const connecting = {
    connectMs: limits.connectMs,
    ownPorts,
    systemProxyFor: createSystemProxyResolver(platform, log),
    limits: context.serviceLimits,
  };
  const pool = new ConnectionPool(connecting);
  closing.defer(() => pool.close());
  const deps = {
    host,
    store,
    pool,
    limits: context.serviceLimits,
    record,
    clock: repositories.clock,
    onChange: (what) => changes.emit(what),
  } satisfies UpstreamSessionDeps;
  const sessions = new UpstreamSessions({ deps, ring });
  closing.defer(() => sessions.close());
  await activateInitial(await catalog.initial(), sessions, host);
  return { catalog, ring, redact, history, lastError, record, connecting, pool, sessions };
}

/** Opens the first session. A missing file of certificates must not keep Gatehouse from starting; requests that need it fail with a message. */
async function activateInitial(
  upstream: Upstream,
  sessions: UpstreamSessions,
  { log }: Host,
): Promise<void> {
  try {
    await sessions.activate(upstream);
  } catch (error) {
    if (!(error instanceof UserError) || error.field !== 'caFile') throw error;
    log('warn', `The certificates for ${upstream.baseUrl} are not used. ${error.message}`);
    await sessions.activate({ ...upstream, caFile: null });
  }
}
