import { isDeepStrictEqual } from 'node:util';
import { SANDBOX_ID, type Upstream } from '../../shared/upstream.ts';
import { UnusableKey } from '../keys/keys.ts';
import { Refused } from '../refused.ts';
import type { Lent } from '../videos/videos.ts';
import type { KeyRing } from './key-ring.ts';
import { type Address, type LinkGround, openWay, type Way, type WayGround } from './link.ts';
import type { Roster } from './roster.ts';

export interface WiresOptions {
  readonly roster: Roster;
  readonly ring: KeyRing;
  readonly ground: WayGround & Pick<LinkGround, 'limits'>;
}

/** Connections and how many use them. */
interface Line {
  readonly address: Address;
  readonly way: Promise<Way>;
  users: number;
  left: boolean;
}

/** The ways to all services that have videos under way, whichever is in use: an order on its way must not end because a person switches. */
export class Wires {
  readonly #options: WiresOptions;
  readonly #lines = new Map<string, Line>();
  readonly #closing = new Set<Promise<void>>();

  constructor(options: WiresOptions) {
    this.#options = options;
  }

  /** How jobs name the service at a base address: that of the sandbox is another one after each start. */
  serviceAt(baseUrl: string): string {
    return this.#options.roster.lentSandbox?.url === baseUrl ? SANDBOX_ID : baseUrl;
  }

  /** The way to a service until it is released, or why there is none. */
  async to(service: string): Promise<Lent> {
    try {
      const upstream = await this.#find(service);
      if (upstream === null) return { sentence: goneSentence(service) };
      const key = await this.#options.ring.of(upstream.baseUrl);
      if (key.current() === null) return { sentence: key.state().sentence };
      const line = this.#lineTo(service, upstream);
      line.users += 1;
      const release = () => this.#release(line);
      const way = await line.way.catch((error: unknown) => {
        this.#leave(service, line);
        release();
        throw error;
      });
      const connections = this.#options.ground.limits.over(upstream.baseUrl, way.connections);
      const { origin, pathname } = new URL(upstream.baseUrl);
      const basePath = pathname.replace(/\/$/, '');
      const target = { origin, basePath, vendor: upstream.versionVendor };
      return { wire: { target, connections, key }, release };
    } catch (error) {
      if (error instanceof Refused || error instanceof UnusableKey) {
        return { sentence: error.message };
      }
      throw error;
    }
  }

  /** Whoever asks for a way from now on gets new connections. */
  renew(): void {
    for (const [service, line] of this.#lines) this.#leave(service, line);
  }

  /** The same for those services that the system wants reached by another proxy than before. */
  async reroute(): Promise<void> {
    const { systemProxyFor } = this.#options.ground;
    for (const [service, line] of this.#lines) {
      // Whoever asked for what could not be opened has heard why.
      const way = await line.way.catch(() => null);
      const wanted = await systemProxyFor(line.address);
      const same = isDeepStrictEqual(wanted, way?.systemProxy);
      if (!same && !line.left) this.#leave(service, line);
    }
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    for (const [service, line] of this.#lines) {
      line.users = 0;
      this.#leave(service, line);
      this.#end(line);
    }
    await Promise.all(this.#closing);
  }

  async #find(service: string): Promise<Upstream | null> {
    const { roster } = this.#options;
    if (service === SANDBOX_ID) return await roster.sandbox();
    return (await roster.all()).find(({ baseUrl }) => baseUrl === service) ?? null;
  }

  #lineTo(service: string, { baseUrl, caFile, proxyUrl }: Upstream): Line {
    const address = { baseUrl, caFile, proxyUrl };
    const known = this.#lines.get(service);
    if (known !== undefined && isDeepStrictEqual(known.address, address)) return known;
    if (known !== undefined) this.#leave(service, known);
    const way = openWay(address, this.#options.ground);
    const line = { address, way, users: 0, left: false };
    this.#lines.set(service, line);
    return line;
  }

  /** Nobody new uses it; it ends with the last who does. */
  #leave(service: string, line: Line): void {
    line.left = true;
    if (this.#lines.get(service) === line) this.#lines.delete(service);
    if (line.users === 0) this.#end(line);
  }

  #release(line: Line): void {
    line.users -= 1;
    if (line.left && line.users === 0) this.#end(line);
  }

  #end({ way }: Line): void {
    const ended = way
      .then(async ({ connections }) => await connections.close())
      // What never opened needs no end.
      .catch(() => undefined)
      .finally(() => this.#closing.delete(ended));
    this.#closing.add(ended);
  }
}

function goneSentence(service: string): string {
  return `The service ${service} is not configured any more. Add it again in Settings, and Gatehouse goes on.`;
}
