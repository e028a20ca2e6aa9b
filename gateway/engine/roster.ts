import { SANDBOX_ID, type Upstream, UpstreamId } from '../../shared/upstream.ts';
import type { Lender, LentSandbox } from '../lender.ts';
import { NotFound } from '../refused.ts';
import { DEFAULT_VENDOR, type Upstreams } from '../upstreams/upstreams.ts';

/** The upstream of this run, whatever is stored: the sandbox, or a service by its base address as `readBaseUrl` gives it. */
export type UpstreamForRun =
  | 'sandbox'
  | { readonly baseUrl: string; readonly versionVendor?: string };

export interface RosterOptions {
  readonly upstreams: Upstreams;
  readonly lender: Lender;
  readonly forRun: UpstreamForRun | undefined;
}

const DIRECT = { caFile: null, proxyUrl: null, active: false } as const;

/** Every upstream there is: those that are stored, one that only this run has, and the sandbox. */
export class Roster {
  readonly #options: RosterOptions;
  /** Named for this run and not stored. */
  #passing: Upstream | null = null;
  #opening: Promise<LentSandbox> | null = null;
  #sandbox: LentSandbox | null = null;

  constructor(options: RosterOptions) {
    this.#options = options;
  }

  /** The sandbox that runs, if it was needed yet. */
  get lentSandbox(): LentSandbox | null {
    return this.#sandbox;
  }

  /** The upstream to begin with: that of this run, then the active one, then the sandbox. */
  async first(): Promise<Upstream> {
    const { upstreams, forRun } = this.#options;
    if (forRun === 'sandbox') return await this.sandbox();
    if (forRun === undefined) return (await upstreams.active()) ?? (await this.sandbox());
    const stored = (await upstreams.list()).find(({ baseUrl }) => baseUrl === forRun.baseUrl);
    if (stored !== undefined) return { ...stored, ...forRun };
    this.#passing = {
      ...DIRECT,
      id: UpstreamId.parse('this-run'),
      kind: 'service',
      name: new URL(forRun.baseUrl).host,
      baseUrl: forRun.baseUrl,
      versionVendor: forRun.versionVendor ?? DEFAULT_VENDOR,
    };
    return this.#passing;
  }

  /** The sandbox last; its address is empty until it was needed. None of them is marked as active. */
  async all(): Promise<readonly Upstream[]> {
    const stored = (await this.#options.upstreams.list()).map((one) => ({ ...one, active: false }));
    const known = stored.some(({ baseUrl }) => baseUrl === this.#passing?.baseUrl);
    const passing = this.#passing === null || known ? [] : [this.#passing];
    return [...passing, ...stored, sandboxAt(this.#sandbox?.url ?? '')];
  }

  /** With the sandbox running, when that is asked for. @throws NotFound */
  async find(id: string): Promise<Upstream> {
    if (id === SANDBOX_ID) return await this.sandbox();
    const found = (await this.all()).find((one) => one.id === id);
    if (found === undefined) throw new NotFound('This service is not there any more.');
    return found;
  }

  async sandbox(): Promise<Upstream> {
    this.#opening ??= this.#options.lender.openSandbox();
    this.#sandbox = await this.#opening.catch((error: unknown) => {
      this.#opening = null;
      throw error;
    });
    return sandboxAt(this.#sandbox.url);
  }

  async close(): Promise<void> {
    await this.#sandbox?.close();
  }
}

function sandboxAt(baseUrl: string): Upstream {
  return {
    ...DIRECT,
    id: UpstreamId.parse(SANDBOX_ID),
    kind: 'sandbox',
    name: 'Sandbox',
    baseUrl,
    versionVendor: DEFAULT_VENDOR,
  };
}
