import { SANDBOX_ID } from '../../shared/sandbox-id.ts';
import { type Upstream, UpstreamId } from '../../shared/upstream.ts';
import type { PlatformAdapter, SandboxHandle } from '../platform.ts';
import { NotFoundError } from '../errors.ts';
import { DEFAULT_VENDOR, type Upstreams } from './upstreams.ts';

/** The upstream for this run, whatever is stored: the sandbox, or a service by its parsed base address. */
export type UpstreamOverride =
  | 'sandbox'
  | { readonly baseUrl: string; readonly versionVendor?: string };

export interface UpstreamCatalogOptions {
  readonly upstreams: Upstreams;
  readonly platform: PlatformAdapter;
  readonly override: UpstreamOverride | undefined;
}

const DEFAULT_CONNECTION = {
  caFile: null,
  proxyUrl: null,
  active: false,
  asksCacheReason: false,
} as const;

/** All upstreams: the stored ones, one for this run only, and the sandbox. */
export class UpstreamCatalog {
  readonly #options: UpstreamCatalogOptions;
  /** The upstream for this run only, which is not stored. */
  #ephemeral: Upstream | null = null;
  #opening: Promise<SandboxHandle> | null = null;
  #sandbox: SandboxHandle | null = null;

  constructor(options: UpstreamCatalogOptions) {
    this.#options = options;
  }

  /** The running sandbox; `null` when it was not needed yet. */
  get runningSandbox(): SandboxHandle | null {
    return this.#sandbox;
  }

  /** Finds the initial upstream: that for this run, else the active one, else the sandbox. */
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

  /** Lists all upstreams, the sandbox last; its address is empty until it was needed. None is marked as active. */
  async all(): Promise<readonly Upstream[]> {
    const stored = (await this.#options.upstreams.list()).map((one) => ({ ...one, active: false }));
    const known = stored.some(({ baseUrl }) => baseUrl === this.#ephemeral?.baseUrl);
    const passing = this.#ephemeral === null || known ? [] : [this.#ephemeral];
    return [...passing, ...stored, toSandboxUpstream(this.#sandbox?.url ?? '')];
  }

  /** Finds an upstream. Starts the sandbox if it is requested. @throws NotFoundError */
  async find(id: string): Promise<Upstream> {
    if (id === SANDBOX_ID) return await this.sandbox();
    const found = (await this.all()).find((one) => one.id === id);
    if (found === undefined) throw new NotFoundError('This service no longer exists.');
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
