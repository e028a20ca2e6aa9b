import type { Upstream } from '../../shared/upstream.ts';
import { SharedResource } from '../lib/shared-resource.ts';
import type { Proxy, UpstreamBinding } from '../proxy/proxy.ts';
import { serviceChangedProblem } from '../service-limit/limit-problems.ts';
import type { KeyRing } from './key-ring.ts';
import { UpstreamHealth } from './upstream-health.ts';
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

  constructor(options: UpstreamSessionsOptions) {
    this.#options = options;
  }

  get current(): UpstreamSession {
    if (this.#current === null) throw new Error('No session is open yet.');
    return this.#current;
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
   * Opens a session for an upstream and sends new exchanges there. The session before is closed when its last exchange has ended.
   * @throws UserError when the upstream's certificates cannot be read.
   */
  async activate(upstream: Upstream): Promise<void> {
    const { host, onChange } = this.#options.deps;
    const switches = this.#current !== null;
    await this.#switchTo(upstream, new UpstreamHealth(() => onChange('status'), host.now));
    if (switches) host.log('info', `New exchanges go to ${upstream.baseUrl}.`);
  }

  /** Sends new exchanges to the upstream in use over connections that the pool leases now; its health stays. @throws UserError */
  async reconnect(): Promise<void> {
    const { upstream, health } = this.current;
    await this.#switchTo(upstream, health);
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
