import { SANDBOX_ID, type Upstream, UpstreamId } from '../../shared/upstream.ts';
import type { PlatformAdapter, SandboxHandle } from '../platform.ts';
import { NotFoundError } from '../errors.ts';
import { DEFAULT_VENDOR, type Upstreams } from './upstreams.ts';

/** The upstream of this run, whatever is stored: the sandbox, or a service by its base address as `readBaseUrl` gives it. */
export type UpstreamOverride =
  | 'sandbox'
  | { readonly baseUrl: string; readonly versionVendor?: string };

export interface UpstreamCatalogOptions {
  readonly upstreams: Upstreams;
  readonly platform: PlatformAdapter;
  readonly override: UpstreamOverride | undefined;
}

const DEFAULT_CONNECTION = { caFile: null, proxyUrl: null, active: false } as const;

/** Every upstream there is: those that are stored, one that only this run has, and the sandbox. */
export class UpstreamCatalog {
  readonly #options: UpstreamCatalogOptions;
  /** Named for this run and not stored. */
  #ephemeral: Upstream | null = null;
  #opening: Promise<SandboxHandle> | null = null;
  #sandbox: SandboxHandle | null = null;

  constructor(options: UpstreamCatalogOptions) {
    this.#options = options;
  }

  /** The sandbox that runs, if it was needed yet. */
  get runningSandbox(): SandboxHandle | null {
    return this.#sandbox;
  }

  /** The upstream to begin with: that of this run, then the active one, then the sandbox. */
  async initial(): Promise<Upstream> {
    const { upstreams, override } = this.#options;
    if (override === 'sandbox') return await this.sandbox();
    if (override === undefined) return (await upstreams.active()) ?? (await this.sandbox());
    const stored = (await upstreams.list()).find(({ baseUrl }) => baseUrl === override.baseUrl);
    if (stored !== undefined) return { ...stored, ...override };
    this.#ephemeral = {
      ...DEFAULT_CONNECTION,
      id: UpstreamId.parse('this-run'),
      kind: 'service',
      name: new URL(override.baseUrl).host,
      baseUrl: override.baseUrl,
      versionVendor: override.versionVendor ?? DEFAULT_VENDOR,
    };
    return this.#ephemeral;
  }

  /** The sandbox last; its address is empty until it was needed. None of them is marked as active. */
  async all(): Promise<readonly Upstream[]> {
    const stored = (await this.#options.upstreams.list()).map((one) => ({ ...one, active: false }));
    const known = stored.some(({ baseUrl }) => baseUrl === this.#ephemeral?.baseUrl);
    const passing = this.#ephemeral === null || known ? [] : [this.#ephemeral];
    return [...passing, ...stored, toSandboxUpstream(this.#sandbox?.url ?? '')];
  }

  /** With the sandbox running, when that is asked for. @throws NotFound */
  async find(id: string): Promise<Upstream> {
    if (id === SANDBOX_ID) return await this.sandbox();
    const found = (await this.all()).find((one) => one.id === id);
    if (found === undefined) throw new NotFoundError('This service is not there any more.');
    return found;
  }

  async sandbox(): Promise<Upstream> {
    this.#opening ??= this.#options.platform.openSandbox();
    this.#sandbox = await this.#opening.catch((error: unknown) => {
      this.#opening = null;
      throw error;
    });
    return toSandboxUpstream(this.#sandbox.url);
  }

  async close(): Promise<void> {
    await this.#sandbox?.close();
  }
}

function toSandboxUpstream(baseUrl: string): Upstream {
  return {
    ...DEFAULT_CONNECTION,
    id: UpstreamId.parse(SANDBOX_ID),
    kind: 'sandbox',
    name: 'Sandbox',
    baseUrl,
    versionVendor: DEFAULT_VENDOR,
  };
}
