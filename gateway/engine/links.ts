import type { Upstream } from '../../shared/upstream.ts';
import type { KeyRing } from './key-ring.ts';
import { type Link, type LinkGround, openLink } from './link.ts';
import type { Proxy } from '../proxy/proxy.ts';

export interface LinksOptions {
  readonly ground: LinkGround;
  readonly ring: KeyRing;
}

/** The link in use and those that still have exchanges on them. */
export class Links {
  readonly #options: LinksOptions;
  readonly #open = new Set<Link>();
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
    const { ring, ground } = this.#options;
    const next = await openLink(upstream, await ring.of(upstream.baseUrl), ground);
    const before = this.#current;
    this.#open.add(next);
    this.#current = next;
    const left = this.#proxy?.use(next.forProxy);
    if (before !== null && left !== undefined) {
      ground.host.log('info', `New exchanges go to ${upstream.baseUrl}.`);
      void this.#closeAfter(left, before);
    }
    ground.onChange('status');
    ground.onChange('models');
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((link) => link.close()));
  }

  async #closeAfter(left: Promise<void>, link: Link): Promise<void> {
    await left;
    this.#open.delete(link);
    await link.close();
  }
}
