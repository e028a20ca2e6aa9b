import { join } from 'node:path';
import type { ExchangeId } from '../../shared/exchange/exchange.ts';
import type { Upstream } from '../../shared/upstream.ts';
import { UserError } from '../errors.ts';
import {
  type History,
  openHistory,
  type OpenExchanges,
  openOpenExchanges,
  readInterrupted,
} from '../history/history.ts';
import type { Host } from '../host.ts';
import type { Repositories } from '../repositories.ts';
import { Runaways } from '../runaway/runaway.ts';
import { ConnectionPool, type ConnectionPoolOptions } from '../upstreams/connection-pool.ts';
import { type KeyRing, openKeyRing } from '../upstreams/key-ring.ts';
import { guardSecrets, openServiceKeys } from './service-keys.ts';
import { createSystemProxyResolver } from '../upstreams/system-proxy.ts';
import { UpstreamCatalog } from '../upstreams/upstream-catalog.ts';
import type { UpstreamSessionDeps } from '../upstreams/upstream-session.ts';
import { UpstreamSessions } from '../upstreams/upstream-sessions.ts';
import type { EngineContext } from './context.ts';
import type { Bodies } from '../bodies/bodies.ts';
import { openBodies } from './engine-bodies.ts';
import { LastError } from './last-error.ts';

/** The parts below the proxy: upstreams, their keys and connections, and the history. */
export interface EngineCore {
  readonly catalog: UpstreamCatalog;
  readonly ring: KeyRing;
  readonly redact: (text: string) => string;
  readonly history: History;
  readonly openExchanges: OpenExchanges;
  readonly bodies: Bodies;
  readonly runaways: Runaways;
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
  const { log } = host;
  const catalog = new UpstreamCatalog({ upstreams, platform, override: options.upstream });
  closing.defer(() => catalog.close());
  const ring = openKeyRing({
    open: (baseUrl) => openServiceKeys(baseUrl, catalog, options),
    onChange: (baseUrl) => {
      context.serviceLimits.of(baseUrl).keyChanged();
      for (const topic of ['status', 'upstreams'] as const) changes.emit(topic);
    },
  });
  closing.defer(() => ring.close());
  const records = await openRecords(ring, context);
  const { record } = records;
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
    onChange: (topic) => changes.emit(topic),
  } satisfies UpstreamSessionDeps;
  const sessions = new UpstreamSessions({ deps, ring });
  closing.defer(() => sessions.close());
  await activateInitial(await catalog.initial(), sessions, host);
  return { ...records, catalog, ring, connecting, pool, sessions };
}

type Records = Pick<
  EngineCore,
  'redact' | 'history' | 'openExchanges' | 'bodies' | 'runaways' | 'lastError' | 'record'
>;

/** Opens what exchanges are recorded in. */
async function openRecords(
  ring: KeyRing,
  { options, changes, closing }: EngineContext,
): Promise<Records> {
  const { repositories } = options;
  const { host, store } = repositories;
  const { log, now } = host;
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
  const openExchanges = await openJournal(history, redact, repositories);
  closing.defer(history.onDropped((ids) => openExchanges.keepDropped(ids)));
  closing.defer(async () => {
    await history.flush();
    openExchanges.close();
  });
  closing.defer(
    history.on((written) => {
      if (written > 0) return;
      const until = performance.now();
      void history.flush().then(() => openExchanges.forgetRecorded(until));
    }),
  );
  const runaways = openRunaways(repositories, changes);
  const bodies = openBodies({ ring, history, repositories, runaways });
  closing.defer(() => bodies.close());
  const lastError = new LastError(redact);
  closing.defer(lastError.follow(history, () => changes.emit('status')));
  const record: History['record'] = (exchange, heads) => {
    history.record(exchange, heads);
    lastError.record(exchange);
  };
  return { redact, history, openExchanges, bodies, runaways, lastError, record };
}

/** Opens what notices agents that run away. It follows the settings. */
function openRunaways(
  { host: { now, log, command }, settings }: Repositories,
  changes: EngineContext['changes'],
): Runaways {
  const runaways = new Runaways({
    settings: () => settings.current(),
    now,
    monotonic: () => performance.now(),
    log,
    command: command ?? 'gatehouse',
  });
  runaways.on(() => changes.emit('clients'));
  changes.on((topic) => {
    if (topic === 'settings') runaways.applySettings();
  });
  return runaways;
}

const RECOVERED_AT_ONCE = 1_000;

/** Records the exchanges that an earlier process did not finish, and opens the file for new ones. */
async function openJournal(
  history: History,
  redact: (text: string) => string,
  { host: { dataDir, log }, prices }: Repositories,
): Promise<OpenExchanges> {
  const file = join(dataDir, 'open-exchanges');
  const interrupted = readInterrupted(file, log);
  const existing = new Set<string>(await history.findExisting(interrupted.map(({ id }) => id)));
  const missing = interrupted.filter(({ id }) => !existing.has(id));
  // A full disk drops records: then they stay in the file.
  const dropped = new Set<ExchangeId>();
  const stop = history.onDropped((ids) => {
    for (const id of ids) dropped.add(id);
  });
  for (const [at, exchange] of missing.entries()) {
    history.record({ ...exchange, cost: prices.costOf(exchange) });
    // More would not fit the buffer of the history.
    if ((at + 1) % RECOVERED_AT_ONCE === 0) await history.flush();
  }
  await history.flush();
  stop();
  const flush = () => history.flush();
  return openOpenExchanges({ file, kept: dropped, flush, redact, log });
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
