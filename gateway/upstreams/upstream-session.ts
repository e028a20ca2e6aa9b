import { toServiceId, type Upstream } from '../../shared/upstream.ts';
import type { Host } from '../host.ts';
import { explainKeyError, type Keys } from '../keys/keys.ts';
import { type Models, openModels } from '../models/models.ts';
import type { SystemProxy } from '../platform.ts';
import {
  openRejectedParameters,
  type UpstreamBinding,
  type UpstreamTarget,
} from '../proxy/proxy.ts';
import { findHeader } from '../http/headers.ts';
import type { Connections } from '../http/connections.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { parseRetryAfter } from '../http/retry.ts';
import { isLoopback } from '../lib/loopback.ts';
import type { UpstreamHealth } from './upstream-health.ts';
import type { ServiceLimit } from '../service-limit/service-limit.ts';
import type { ServiceLimits } from '../service-limit/service-limits.ts';
import type { Store } from '../store/store.ts';
import type { TrustedClock } from '../store/trusted-clock.ts';
import { judgeModelList, requestModelList, ModelListTooLargeError } from './upstreams.ts';

/** The parts of one upstream in use. They do not change from opening to closing. */
export interface UpstreamSession {
  readonly upstream: Upstream;
  readonly keys: Keys;
  readonly models: Models;
  readonly health: UpstreamHealth;
  /** The system's proxy at the time when the connections were opened. */
  readonly systemProxy: SystemProxy;
  readonly connections: Connections;
  /** The parts that the proxy uses. */
  readonly binding: Omit<UpstreamBinding, 'lease'>;
  /** Opens a spare connection, and fetches the model list on it when none is known and there is a key and no pause. */
  prepare(): void;
  /** Releases its connections. Nothing uses it any more. */
  close(): Promise<void>;
}

/** The parts of the gateway that every session uses. */
export interface UpstreamSessionDeps {
  readonly host: Host;
  readonly store: Store;
  readonly pool: ConnectionPool;
  readonly limits: ServiceLimits;
  readonly record: UpstreamBinding['record'];
  readonly clock: Pick<TrustedClock, 'confirm'>;
  readonly onChange: (topic: 'status' | 'models') => void;
}

const LIST_TIMEOUT_MS = 20_000;
/** The state of the sandbox's key, for people. */
export const SANDBOX_KEY = {
  name: 'this-run',
  sentence: 'The sandbox needs no service key.',
} as const;

export interface UpstreamSessionOptions {
  readonly upstream: Upstream;
  readonly keys: Keys;
  readonly health: UpstreamHealth;
}

/** Opens a session. @throws UserError when the upstream's certificates cannot be read; StoreError. */
export async function openUpstreamSession(
  { upstream, keys, health }: UpstreamSessionOptions,
  deps: UpstreamSessionDeps,
): Promise<UpstreamSession> {
  const { host, store, pool, limits, clock, onChange } = deps;
  const { log, now } = host;
  const { baseUrl } = upstream;
  const refused = await openRejectedParameters({ store, baseUrl, now, log });
  const { resource, release } = await pool.acquire(upstream);
  const { connections, systemProxy } = resource;
  const limit = limits.of(baseUrl);
  const models = await openModels({
    store,
    upstream: baseUrl,
    fetchList: (signal) =>
      fetchModelList({ baseUrl, keys, connections, health, host, clock, signal }),
    now,
    log,
    onChange: () => onChange('models'),
  }).catch((error: unknown) => {
    release();
    throw error;
  });
  const stopTracking = trackHealth({ keys, health }, limit);
  // A service on this machine has the clock of this machine.
  const confirmsClock = !isLoopback(new URL(baseUrl).hostname);
  const target = toUpstreamTarget(upstream);
  const recordHere = createRecorder(deps, health, confirmsClock);
  const fetchFirst = (): void => {
    if (keys.current() !== null && !limit.paused) models.fetchFirst();
  };
  return {
    upstream,
    keys,
    models,
    health,
    systemProxy,
    connections,
    binding: {
      service: toServiceId(upstream),
      target,
      connections,
      key: keys,
      models,
      refused,
      asksCacheReason: upstream.asksCacheReason,
      limit,
      record: recordHere,
    },
    prepare: () => connections.prepare(fetchFirst),
    close: async () => {
      stopTracking();
      await models.close();
      release();
    },
  };
}

/** Creates the function that records an exchange and updates the health, and the clock by the answer's date. */
function createRecorder(
  { host: { now }, record, clock }: UpstreamSessionDeps,
  health: UpstreamHealth,
  confirmsClock: boolean,
): UpstreamBinding['record'] {
  // Answers within a second have the same date.
  let latest = { text: '', date: Number.NaN };
  return (exchange, heads) => {
    record(exchange, heads);
    const answered = heads.answered ?? [];
    const text = findHeader(answered, 'date') ?? '';
    if (text !== latest.text) latest = { text, date: Date.parse(text) };
    const { date } = latest;
    const retryAfter = findHeader(answered, 'retry-after') ?? null;
    health.record(exchange, parseRetryAfter(retryAfter, Number.isNaN(date) ? now() : date));
    if (confirmsClock) clock.confirm(date);
  };
}

/** Updates the health when its key changes and when the service takes a call. Returns a function that ends this. */
function trackHealth(
  { keys, health }: Pick<UpstreamSessionOptions, 'keys' | 'health'>,
  { succeeded }: ServiceLimit,
): () => void {
  const stops = [keys.on(() => health.resetKeyState()), succeeded.on(() => health.recordSuccess())];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Splits a base address into the parts that a request is built from. */
export function toUpstreamTarget({
  baseUrl,
  versionVendor,
}: Pick<Upstream, 'baseUrl' | 'versionVendor'>): UpstreamTarget {
  const { origin, pathname } = new URL(baseUrl);
  return { origin, basePath: pathname.replace(/\/$/, ''), vendor: versionVendor };
}

interface ListTask {
  readonly baseUrl: string;
  readonly keys: Keys;
  readonly connections: Connections;
  readonly health: UpstreamHealth;
  readonly host: Host;
  readonly clock: Pick<TrustedClock, 'confirm'>;
  readonly signal: AbortSignal;
}

/** Fetches the model list. Rejects with a message for people. */
async function fetchModelList(task: ListTask): Promise<Buffer> {
  const { baseUrl, keys, connections, health, host, clock, signal } = task;
  const { command = 'gatehouse', now } = host;
  const key = keys.current();
  if (key === null) throw new Error(keys.state().sentence);
  const dispatcher = connections.service;
  const ask = { baseUrl, key, timeoutMs: LIST_TIMEOUT_MS, signal, dispatcher };
  const answer = await requestModelList(ask).catch((error: unknown) => {
    const { sentence, advice } = explainKeyError(error);
    const message = `${sentence} ${advice}`;
    if (error instanceof ModelListTooLargeError) health.recordAnswer(200, now());
    else if (!signal.aborted) health.recordFailure(message, now());
    throw new Error(message, { cause: error });
  });
  const { status, body, date } = answer;
  const { words, isOfService } = judgeModelList(answer, command);
  if (date !== null && !isLoopback(new URL(baseUrl).hostname)) clock.confirm(date);
  if (status >= 400 || words.accepted) health.recordAnswer(status, now());
  else if (!isOfService) health.recordDoubt(`${words.sentence} ${words.advice}`, now());
  if (status === 401) {
    const advice = command === null ? 'test it in Settings' : `run ${command} key test`;
    throw new Error(
      `The service refuses the service key (401). Your local keys are fine; ${advice}`,
    );
  }
  if (words.accepted) return body;
  throw new Error(`${words.sentence} ${words.advice}`);
}
