import { toServiceId, type Upstream, type UpstreamTimes } from '../../shared/upstream.ts';
import { SharedResource } from '../lib/shared-resource.ts';
import type { Proxy, UpstreamBinding } from '../proxy/proxy.ts';
import { serviceChangedProblem } from '../service-limit/limit-problems.ts';
import type { KeyRing } from './key-ring.ts';
import { UpstreamHealth } from './upstream-health.ts';
import { readUsedSince, saveUsedSince } from './used-since.ts';
import {
  openUpstreamSession,
  type UpstreamSession,
  type UpstreamSessionDeps,
} from './upstream-session.ts';

export interface UpstreamSessionsOptions {
  readonly deps: UpstreamSessionDeps;
  readonly ring: KeyRing;
}

/** The session of the upstream in use, and earlier ones that still have exchanges in flight. */
export class UpstreamSessions {
  readonly #options: UpstreamSessionsOptions;
  readonly #open = new Set<SharedResource<UpstreamSession>>();
  #current: UpstreamSession | null = null;
  #currentShare: SharedResource<UpstreamSession> | null = null;
  #proxy: Proxy | null = null;
  #isPrepared = false;
  #usedSince = 0;

  constructor(options: UpstreamSessionsOptions) {
    this.#options = options;
  }

  get current(): UpstreamSession {
    if (this.#current === null) throw new Error('No session is open yet.');
    return this.#current;
  }

  get times(): UpstreamTimes {
    return { usedSince: this.#usedSince, keyMendedAt: this.current.health.keyMendedAt };
  }

  /** The current session as the proxy uses it. */
  get binding(): UpstreamBinding {
    const share = this.#currentShare;
    if (share === null) throw new Error('No session is open yet.');
    return { ...this.current.binding, lease: () => share.acquire().release };
  }

  /** Makes the proxy use the current session, and every later one. */
  setProxy(proxy: Proxy): void {
    this.#proxy = proxy;
  }

  /**
   * Opens a session for an upstream and sends new exchanges there. The session before is closed when its last exchange has ended. The
   * health stays when only the name or the version vendor differs; otherwise the upstream is tried anew, also if it could not be reached
   * when it was in use before.
   * @throws UserError when the upstream's certificates cannot be read.
   */
  async activate(upstream: Upstream): Promise<void> {
    const { host, limits, onChange, store } = this.#options.deps;
    const before = this.#current;
    if (before !== null && connectsAlike(before.upstream, upstream)) {
      await this.#switchTo(upstream, before.health);
      return;
    }
    limits.of(upstream.baseUrl).resetCircuit();
    await this.#switchTo(upstream, new UpstreamHealth(() => onChange('status'), host.now));
    const known = before === null ? await readUsedSince(store, toServiceId(upstream)) : null;
    // A stored time in the future comes from a clock that was ahead; no exchange would count until then.
    this.#usedSince = Math.min(known ?? Number.POSITIVE_INFINITY, host.now());
    if (known !== this.#usedSince) await this.#saveUsedSince();
    if (before !== null) host.log('info', `New exchanges go to ${upstream.baseUrl}.`);
  }

  /** Activates another upstream. Returns a function that restores the one before, with its health. @throws UserError */
  async activateRestorably(upstream: Upstream): Promise<() => Promise<void>> {
    const { upstream: former, health } = this.current;
    const since = this.#usedSince;
    await this.activate(upstream);
    return async () => {
      await this.#switchTo(former, health);
      this.#usedSince = since;
      await this.#saveUsedSince();
    };
  }

  /** Sends new exchanges to the upstream in use over connections that the pool leases now; its health stays. @throws UserError */
  async reconnect(): Promise<void> {
    const { upstream, health } = this.current;
    await this.#switchTo(upstream, health);
  }

  /** Prepares the session of the upstream in use, and every later one. */
  prepare(): void {
    this.#isPrepared = true;
    this.#prepareCurrent();
  }

  /** Does so only if the pool has replaced the connections of the current session. @throws UserError */
  async reconnectIfReplaced(): Promise<void> {
    const { upstream, connections } = this.current;
    const { resource, release } = await this.#options.deps.pool.acquire(upstream);
    release();
    if (resource.connections !== connections) await this.reconnect();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((session) => session.close()));
  }

  async #saveUsedSince(): Promise<void> {
    const { store, host } = this.#options.deps;
    const service = toServiceId(this.current.upstream);
    await saveUsedSince({ store, log: host.log }, service, this.#usedSince);
  }

  /** The sandbox needs none: it is in this process. */
  #prepareCurrent(): void {
    const session = this.current;
    if (this.#isPrepared && session.upstream.kind !== 'sandbox') session.prepare();
  }

  async #switchTo(upstream: Upstream, health: UpstreamHealth): Promise<void> {
    const { ring, deps } = this.#options;
    const keys = await ring.get(upstream.baseUrl);
    const next = await openUpstreamSession({ upstream, keys, health }, deps);
    const share = new SharedResource(next, async () => {
      this.#open.delete(share);
      await next.close();
    });
    const [before, shareBefore] = [this.#current, this.#currentShare];
    this.#open.add(share);
    this.#current = next;
    this.#currentShare = share;
    this.#proxy?.activate(this.binding);
    this.#prepareCurrent();
    if (before !== null && before.upstream.baseUrl !== upstream.baseUrl) {
      deps.limits.of(before.upstream.baseUrl).refuseQueued(serviceChangedProblem, 'clients');
      deps.pool.retire(before.upstream.baseUrl);
    }
    shareBefore?.retire().catch((error: unknown) => {
      deps.host.log('warn', `A former session could not be closed: ${String(error)}`);
    });
    deps.onChange('status');
    deps.onChange('models');
  }
}

/** Whether two upstreams are one service that is reached in the same way. */
function connectsAlike(one: Upstream, other: Upstream): boolean {
  return (
    toServiceId(one) === toServiceId(other) &&
    one.baseUrl === other.baseUrl &&
    one.caFile === other.caFile &&
    one.proxyUrl === other.proxyUrl
  );
}
