import type { Mutex } from 'async-mutex';
import { isDeepStrictEqual } from 'node:util';
import type { Settings, SettingsChange, EffectiveSettings } from '../../../shared/settings.ts';
import type { Log } from '../../host.ts';
import type { PlatformAdapter } from '../../platform.ts';
import { PortAccessError, PortInUseError } from '../../lib/bind-server.ts';
import type { Proxy } from '../../proxy/proxy.ts';
import { UserError } from '../../errors.ts';
import { parseChange, type SettingsRepository } from '../../settings/settings.ts';

export interface SettingsControllerOptions {
  readonly settings: SettingsRepository;
  readonly proxy: Proxy;
  readonly platform: PlatformAdapter;
  readonly pinned: EffectiveSettings['pinned'];
  /** Whether repairs are off in this run. */
  readonly strict: boolean;
  /** Deletes data beyond the retention. */
  readonly prune: () => void;
  readonly mutex: Mutex;
  readonly log: Log;
  readonly onChange: (topic: 'status' | 'settings') => void;
}

/** Settings of which a lower value deletes something. */
const LIMITS = ['keepDays', 'keepHeadersDays', 'keepBodiesDays', 'bodiesMiB', 'mostMiB'] as const;

/** Reads and changes the effective settings of this run. */
export class SettingsController {
  readonly #options: SettingsControllerOptions;

  constructor(options: SettingsControllerOptions) {
    this.#options = options;
  }

  /** Returns the effective settings; `port` is the present port of the proxy. */
  effective(): EffectiveSettings {
    const { settings, proxy, strict, pinned } = this.#options;
    const current = settings.current();
    return {
      settings: { ...current, port: proxy.port, repairs: current.repairs && !strict },
      pinned,
    };
  }

  /** Changes all of the settings or none; a function makes its change from the present ones. @throws UserError */
  async change(
    requested: SettingsChange | ((current: Settings) => SettingsChange),
  ): Promise<EffectiveSettings> {
    const { settings, mutex } = this.#options;
    return await mutex.runExclusive(async () => {
      const before = settings.current();
      const wanted = typeof requested === 'function' ? requested(before) : requested;
      const change = this.#withoutPinned(parseChange(wanted));
      const portBefore = this.#options.proxy.port;
      if (change.port !== undefined) await this.#move(change.port);
      try {
        await settings.change(change);
      } catch (error) {
        await this.#move(portBefore);
        throw error;
      }
      await this.#apply(before);
      return this.effective();
    });
  }

  /** Applies changes of another process. */
  async reload(): Promise<void> {
    const { settings, mutex, pinned, log } = this.#options;
    await mutex.runExclusive(async () => {
      const before = settings.current();
      const { port } = await settings.reload();
      if (port !== before.port && pinned.port === undefined) {
        await this.#move(port).catch((error: unknown) => {
          log('warn', error instanceof Error ? error.message : String(error));
        });
      }
      await this.#apply(before);
    });
  }

  /** @throws UserError when a setting is locked in this run */
  #withoutPinned(change: SettingsChange): SettingsChange {
    const { pinned } = this.#options;
    const now = this.effective().settings;
    const remaining = { ...change };
    for (const name of ['port', 'repairs'] as const) {
      const sentence = pinned[name];
      if (sentence === undefined || remaining[name] === undefined) continue;
      if (remaining[name] !== now[name]) throw new UserError(sentence, name);
      delete remaining[name];
    }
    return remaining;
  }

  /** @throws UserError with the field `port` */
  async #move(port: number): Promise<void> {
    const { proxy, platform, onChange } = this.#options;
    if (port === proxy.port) return;
    try {
      await proxy.move(port);
      platform.onPortChange?.(proxy.port);
      onChange('settings');
      onChange('status');
    } catch (error) {
      if (error instanceof PortAccessError)
        throw new UserError(error.message, 'port', { cause: error });
      if (!(error instanceof PortInUseError)) throw error;
      const holder = await platform.describePortOwner?.(port);
      throw new UserError(
        `Port ${port} is used by ${holder ?? 'another program'}. Choose another one.`,
        'port',
        { cause: error },
      );
    }
  }

  async #apply(before: Settings): Promise<void> {
    const { settings, proxy, strict, prune, onChange } = this.#options;
    const now = settings.current();
    if (isDeepStrictEqual(now, before)) return;
    proxy.setStrict(strict || !now.repairs);
    if (!isDeepStrictEqual(now.furtherListeners, before.furtherListeners))
      await proxy.listenFurther(now.furtherListeners.map(({ address }) => address));
    const lower = LIMITS.some((name) => now[name] < before[name]);
    if (lower) prune();
    onChange('settings');
    onChange('status');
  }
}
