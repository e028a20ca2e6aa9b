import type { Upstream } from '../../shared/upstream.ts';
import type { Host } from '../host.ts';
import { explainKeyError, explainKeyStatus, explainNoModelList, type Keys } from '../keys/keys.ts';
import { type Models, openModels } from '../models/models.ts';
import type { SystemProxy } from '../platform.ts';
import {
  findHeader,
  type Connections,
  openConnections,
  openRejectedParameters,
  type UpstreamBinding,
  parseRetryAfter,
} from '../proxy/proxy.ts';
import { isLoopback } from '../lib/loopback.ts';
import type { UpstreamHealth } from './upstream-health.ts';
import type { ServiceLimits } from './service-limits.ts';
import type { Store } from '../store/store.ts';
import type { TrustedClock } from '../lib/trusted-clock.ts';
import type { SystemProxyResolver } from './system-proxy.ts';
import { requestModelList, ModelListTooLargeError, readCaFile } from './upstreams.ts';

/** Everything that belongs to one upstream in use, from its opening to its closing unchanged. */
export interface UpstreamSession {
  readonly upstream: Upstream;
  readonly keys: Keys;
  readonly models: Models;
  readonly health: UpstreamHealth;
  /** What the system said when the connections were made. */
  readonly systemProxy: SystemProxy;
  /** What the proxy needs of it. */
  readonly binding: UpstreamBinding;
  /** Ends its connections. Nobody uses it any more. */
  close(): Promise<void>;
}

/** What every link needs of the gateway. */
export interface UpstreamSessionDeps {
  readonly host: Host;
  readonly store: Store;
  readonly connectMs: number;
  readonly ownPorts: ReadonlySet<number>;
  readonly systemProxyFor: SystemProxyResolver;
  readonly limits: ServiceLimits;
  readonly record: UpstreamBinding['record'];
  readonly clock: Pick<TrustedClock, 'confirm'>;
  readonly onChange: (what: 'status' | 'models') => void;
}

const LIST_TIMEOUT_MS = 20_000;
/** The state of the sandbox's key, for people. */
export const SANDBOX_KEY = {
  name: 'this-run',
  sentence: 'The sandbox needs no service key.',
} as const;

/** Where an upstream is and how it is connected to. */
export type UpstreamEndpoint = Pick<Upstream, 'baseUrl' | 'caFile' | 'proxyUrl'>;

/** Makes the connections that an upstream asks for. @throws Refused when its certificates cannot be read. */
export async function openConnectionsTo(
  upstream: UpstreamEndpoint,
  { connectMs, ownPorts }: Pick<UpstreamSessionDeps, 'connectMs' | 'ownPorts'>,
): Promise<Connections> {
  const { baseUrl, caFile, proxyUrl } = upstream;
  const extraCa = caFile === null ? [] : await readCaFile(caFile);
  return openConnections({
    origin: new URL(baseUrl).origin,
    connectMs,
    ownPorts,
    extraCa,
    proxyUrl,
  });
}

/** Connections, and what the system said of a proxy when they were made. */
export interface UpstreamConnections {
  readonly connections: Connections;
  readonly systemProxy: SystemProxy;
}

/** What a way is made on. */
export type ConnectionDeps = Pick<UpstreamSessionDeps, 'connectMs' | 'ownPorts' | 'systemProxyFor'>;

/** The same through the proxy of the system, where the upstream has none of its own. @throws Refused */
export async function openUpstreamConnections(
  upstream: UpstreamEndpoint,
  ground: ConnectionDeps,
): Promise<UpstreamConnections> {
  const systemProxy = await ground.systemProxyFor(upstream);
  const proxyUrl = upstream.proxyUrl ?? systemProxy.proxyUrl;
  return { connections: await openConnectionsTo({ ...upstream, proxyUrl }, ground), systemProxy };
}

/** What a link is opened for. */
export interface UpstreamSessionOptions {
  readonly upstream: Upstream;
  readonly keys: Keys;
  readonly health: UpstreamHealth;
}

/** Opens a link. @throws Refused when the upstream's certificates cannot be read; StoreError. */
export async function openUpstreamSession(
  { upstream, keys, health: reach }: UpstreamSessionOptions,
  ground: UpstreamSessionDeps,
): Promise<UpstreamSession> {
  const { host, store, limits, record, clock, onChange } = ground;
  const { log, now } = host;
  const { baseUrl, versionVendor } = upstream;
  const refused = await openRejectedParameters({ store, baseUrl, now, log });
  const way = await openUpstreamConnections(upstream, ground);
  const { systemProxy } = way;
  const connections = limits.over(baseUrl, way.connections);
  const limit = limits.of(baseUrl);
  const models = await openModels({
    store,
    upstream: baseUrl,
    fetchList: (signal) =>
      fetchModelList({ baseUrl, keys, connections, reach, host, clock, signal }),
    now,
    log,
    onChange: () => onChange('models'),
  });
  const stops = [keys.on(() => reach.keyChanged()), limit.succeeded.add(() => reach.succeeded())];
  const { origin, pathname, hostname } = new URL(baseUrl);
  const target = { origin, basePath: pathname.replace(/\/$/, ''), vendor: versionVendor };
  const recordHere: UpstreamBinding['record'] = (exchange, heads) => {
    record(exchange, heads);
    const date = parseDateHeader(heads.answered);
    reach.record(
      exchange,
      parseRetryAfterHeader(heads.answered, Number.isNaN(date) ? now() : date),
    );
    // A service on this machine has this machine's clock.
    if (!isLoopback(hostname)) clock.confirm(date);
  };
  return {
    upstream,
    keys,
    models,
    health: reach,
    systemProxy,
    binding: { target, connections, key: keys, models, refused, limit, record: recordHere },
    close: async () => {
      for (const stop of stops) stop();
      const closing = models.close();
      await connections.close();
      await closing;
    },
  };
}

/** `NaN` when there is none. */
function parseDateHeader(headers: readonly string[] | null): number {
  return Date.parse(findHeader(headers ?? [], 'date') ?? '');
}

/** Milliseconds for which an answer asks to be left alone, seen at `now`; `null` when it does not. */
function parseRetryAfterHeader(headers: readonly string[] | null, now: number): number | null {
  return parseRetryAfter(findHeader(headers ?? [], 'retry-after') ?? null, now);
}

interface ListTask {
  readonly baseUrl: string;
  readonly keys: Keys;
  readonly connections: Connections;
  readonly reach: UpstreamHealth;
  readonly host: Host;
  readonly clock: Pick<TrustedClock, 'confirm'>;
  readonly signal: AbortSignal;
}

/** Rejects with a sentence for people. */
async function fetchModelList(task: ListTask): Promise<Buffer> {
  const { baseUrl, keys, connections, reach, host, clock, signal } = task;
  const { command = 'gatehouse', now } = host;
  const key = keys.current();
  if (key === null) throw new Error(keys.state().sentence);
  const dispatcher = connections.service;
  const ask = { baseUrl, key, timeoutMs: LIST_TIMEOUT_MS, signal, dispatcher };
  const answer = await requestModelList(ask).catch((error: unknown) => {
    const { sentence } = explainKeyError(error);
    if (error instanceof ModelListTooLargeError) reach.answered(200, now());
    else if (!signal.aborted) reach.failed(sentence, now());
    throw new Error(sentence, { cause: error });
  });
  const { status, body, date } = answer;
  if (date !== null && !isLoopback(new URL(baseUrl).hostname)) clock.confirm(date);
  reach.answered(status, now());
  if (status === 401) {
    const way = command === null ? 'test it in Settings' : `run ${command} key test`;
    throw new Error(`The service refuses the service key (401). Your local keys are fine; ${way}`);
  }
  if (status === 200) return body;
  const verdict = status < 300 ? explainNoModelList(status) : explainKeyStatus(status, command);
  throw new Error(verdict.sentence);
}
