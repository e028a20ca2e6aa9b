import { isDeepStrictEqual } from 'node:util';
import type { Upstream } from '../../shared/upstream.ts';
import type { KeyRing } from './key-ring.ts';
import { type Link, type LinkGround, openLink } from './link.ts';
import { type Proxy, serviceChanged } from '../proxy/proxy.ts';
import { Reach } from './reach.ts';

export interface LinksOptions {
  readonly ground: LinkGround;
  readonly ring: KeyRing;
}

/** The link in use and those that still have exchanges on them. */
export class Links {
  readonly #options: LinksOptions;
  readonly #links = new Set<Link>();
  #current: Link | null = null;
  #proxy: Proxy | null = null;

  constructor(options: LinksOptions) {
    this.#options = options;
  }

  get current(): Link {
    if (this.#current === null) throw new Error('No link is open yet.');
    return this.#current;
  }

  /** From now on the proxy goes where this goes. */
  attach(proxy: Proxy): void {
    this.#proxy = proxy;
  }

  /** Opens a link to an upstream and sends new exchanges there; the link before is closed when its last exchange has ended. @throws Refused */
  async use(upstream: Upstream): Promise<void> {
    const { host, onChange } = this.#options.ground;
    const switches = this.#current !== null;
    await this.#goBy(upstream, new Reach(() => onChange('status'), host.now));
    if (switches) host.log('info', `New exchanges go to ${upstream.baseUrl}.`);
  }

  /** Makes new connections to the upstream in use, for new exchanges; what is known of it stays. @throws Refused */
  async renew(): Promise<void> {
    const { upstream, reach } = this.current;
    await this.#goBy(upstream, reach);
  }

  /** The same when the system wants another proxy than before. @throws Refused */
  async reroute(): Promise<void> {
    const { upstream, systemProxy } = this.current;
    const wanted = await this.#options.ground.systemProxyFor(upstream);
    if (!isDeepStrictEqual(wanted, systemProxy)) await this.renew();
  }

  async #goBy(upstream: Upstream, reach: Reach): Promise<void> {
    const { ring, ground } = this.#options;
    const keys = await ring.of(upstream.baseUrl);
    const next = await openLink({ upstream, keys, reach }, ground);
    const before = this.#current;
    this.#links.add(next);
    this.#current = next;
    const left = this.#proxy?.use(next.forProxy);
    if (before !== null && before.upstream.baseUrl !== upstream.baseUrl) {
      ground.limits.of(before.upstream.baseUrl).turnAway(serviceChanged, 'clients');
    }
    if (before !== null && left !== undefined) void this.#closeAfter(left, before);
    ground.onChange('status');
    ground.onChange('models');
  }

  async close(): Promise<void> {
    await Promise.all([...this.#links].map((link) => link.close()));
  }

  async #closeAfter(left: Promise<void>, link: Link): Promise<void> {
    await left;
    this.#links.delete(link);
    await link.close();
  }
}
