import { isDeepStrictEqual } from 'node:util';
import type { Settings, SettingsChange, SettingsInForce } from '../../shared/settings.ts';
import type { Log } from '../host.ts';
import type { InTurn } from '../in-turn.ts';
import type { Lender } from '../lender.ts';
import { PortForbidden, PortTaken } from '../listening.ts';
import type { Proxy } from '../proxy/proxy.ts';
import { Refused } from '../refused.ts';
import { readChange, type SettingsRoom } from '../settings/settings.ts';

export interface SettingControlOptions {
  readonly settings: SettingsRoom;
  readonly proxy: Proxy;
  readonly lender: Lender;
  readonly pinned: SettingsInForce['pinned'];
  /** No repairs in this run. */
  readonly strict: boolean;
  /** Deletes what is kept no longer. */
  readonly prune: () => void;
  readonly inTurn: InTurn;
  readonly log: Log;
  readonly onChange: (what: 'status' | 'settings') => void;
}

/** The settings as they hold for this run. */
export class SettingControl {
  readonly #options: SettingControlOptions;

  constructor(options: SettingControlOptions) {
    this.#options = options;
  }

  /** `port` is where the proxy listens, also when that was chosen for this run. */
  inForce(): SettingsInForce {
    const { settings, proxy, strict, pinned } = this.#options;
    const current = settings.current();
    return {
      settings: { ...current, port: proxy.port, repairs: current.repairs && !strict },
      pinned,
    };
  }

  /** All of it or nothing. @throws Refused */
  async change(wanted: SettingsChange): Promise<SettingsInForce> {
    const { settings, inTurn } = this.#options;
    return await inTurn(async () => {
      const change = this.#withoutPinned(readChange(wanted));
      const before = settings.current();
      const portBefore = this.#options.proxy.port;
      if (change.port !== undefined) await this.#move(change.port);
      try {
        await settings.change(change);
      } catch (error) {
        await this.#move(portBefore);
        throw error;
      }
      this.#apply(before);
      return this.inForce();
    });
  }

  /** Takes over what another process changed. */
  async reload(): Promise<void> {
    const { settings, inTurn, pinned, log } = this.#options;
    await inTurn(async () => {
      const before = settings.current();
      const { port } = await settings.reload();
      if (port !== before.port && pinned.port === undefined) {
        await this.#move(port).catch((error: unknown) => {
          log('warn', error instanceof Error ? error.message : String(error));
        });
      }
      this.#apply(before);
    });
  }

  /** @throws Refused when something is to be other than this run was told. */
  #withoutPinned(change: SettingsChange): SettingsChange {
    const { pinned } = this.#options;
    const now = this.inForce().settings;
    const left = { ...change };
    for (const name of ['port', 'repairs'] as const) {
      const sentence = pinned[name];
      if (sentence === undefined || left[name] === undefined) continue;
      if (left[name] !== now[name]) throw new Refused(sentence, name);
      delete left[name];
    }
    return left;
  }

  /** @throws Refused with the field `port`. */
  async #move(port: number): Promise<void> {
    const { proxy, lender, onChange } = this.#options;
    if (port === proxy.port) return;
    try {
      await proxy.move(port);
      lender.onPort?.(proxy.port);
      onChange('settings');
      onChange('status');
    } catch (error) {
      if (error instanceof PortForbidden)
        throw new Refused(error.message, 'port', { cause: error });
      if (!(error instanceof PortTaken)) throw error;
      const holder = await lender.describePortHolder?.(port);
      throw new Refused(
        `Port ${port} is used by ${holder ?? 'another program'}. Choose another one.`,
        'port',
        { cause: error },
      );
    }
  }

  #apply(before: Settings): void {
    const { settings, proxy, strict, prune, onChange } = this.#options;
    const now = settings.current();
    if (isDeepStrictEqual(now, before)) return;
    proxy.setStrict(strict || !now.repairs);
    const lower = (['keepDays', 'keepHeadersDays', 'mostMiB'] as const).some(
      (name) => now[name] < before[name],
    );
    if (lower) prune();
    onChange('settings');
    onChange('status');
  }
}
