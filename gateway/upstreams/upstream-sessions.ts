import { isDeepStrictEqual } from 'node:util';
import type { Upstream } from '../../shared/upstream.ts';
import type { KeyRing } from './key-ring.ts';
import {
  type UpstreamSession,
  type UpstreamSessionDeps,
  openUpstreamSession,
} from './upstream-session.ts';
import { type Proxy, serviceChangedProblem } from '../proxy/proxy.ts';
import { UpstreamHealth } from './upstream-health.ts';

export interface UpstreamSessionsOptions {
  readonly deps: UpstreamSessionDeps;
  readonly ring: KeyRing;
}

/** The link in use and those that still have exchanges on them. */
export class UpstreamSessions {
  readonly #options: UpstreamSessionsOptions;
  readonly #sessions = new Set<UpstreamSession>();
  #current: UpstreamSession | null = null;
  #proxy: Proxy | null = null;

  constructor(options: UpstreamSessionsOptions) {
    this.#options = options;
  }

  get current(): UpstreamSession {
    if (this.#current === null) throw new Error('No link is open yet.');
    return this.#current;
  }

  /** From now on the proxy goes where this goes. */
  setProxy(proxy: Proxy): void {
    this.#proxy = proxy;
  }

  /** Opens a link to an upstream and sends new exchanges there; the link before is closed when its last exchange has ended. @throws Refused */
  async activate(upstream: Upstream): Promise<void> {
    const { host, onChange } = this.#options.deps;
    const switches = this.#current !== null;
    await this.#switchTo(upstream, new UpstreamHealth(() => onChange('status'), host.now));
    if (switches) host.log('info', `New exchanges go to ${upstream.baseUrl}.`);
  }

  /** Makes new connections to the upstream in use, for new exchanges; what is known of it stays. @throws Refused */
  async reconnect(): Promise<void> {
    const { upstream, health: reach } = this.current;
    await this.#switchTo(upstream, reach);
  }

  /** The same when the system wants another proxy than before. @throws Refused */
  async refreshSystemProxy(): Promise<void> {
    const { upstream, systemProxy } = this.current;
    const wanted = await this.#options.deps.systemProxyFor(upstream);
    if (!isDeepStrictEqual(wanted, systemProxy)) await this.reconnect();
  }

  async #switchTo(upstream: Upstream, reach: UpstreamHealth): Promise<void> {
    const { ring, deps: ground } = this.#options;
    const keys = await ring.get(upstream.baseUrl);
    const next = await openUpstreamSession({ upstream, keys, health: reach }, ground);
    const before = this.#current;
    this.#sessions.add(next);
    this.#current = next;
    const left = this.#proxy?.activate(next.binding);
    if (before !== null && before.upstream.baseUrl !== upstream.baseUrl) {
      ground.limits.of(before.upstream.baseUrl).turnAway(serviceChangedProblem, 'clients');
    }
    if (before !== null && left !== undefined) void this.#closeAfter(left, before);
    ground.onChange('status');
    ground.onChange('models');
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions].map((link) => link.close()));
  }

  async #closeAfter(left: Promise<void>, link: UpstreamSession): Promise<void> {
    await left;
    this.#sessions.delete(link);
    await link.close();
  }
}
