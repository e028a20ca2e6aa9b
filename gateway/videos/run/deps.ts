import type { Settings } from '../../../shared/settings.ts';
import type { Upstream } from '../../../shared/upstream.ts';
import type { History, OpenExchanges } from '../../history/history.ts';
import type { PriceBook } from '../../prices/prices.ts';
import type { SpendLimits } from '../../spend-limits/spend-limits.ts';
import type { VideoTiming } from '../transitions/timing.ts';
import type { ServiceConnection } from '../service/types.ts';

/** The use of a service until it is released, or why it cannot be used, in a sentence for people. */
export type ServiceLease =
  | { readonly connection: ServiceConnection; release(): void }
  | { readonly sentence: string };

/** Dependencies of the runner that the engine provides. */
export interface RunnerDeps {
  readonly acquireConnection: (service: string) => Promise<ServiceLease>;
  /** Returns the stable id of the service at a base address. */
  readonly toServiceId: (baseUrl: string) => string;
  /** Lists all upstreams, also one for this run only. */
  readonly upstreams: () => Promise<readonly Upstream[]>;
  readonly settings: () => Pick<Settings, 'videoFolder' | 'videosAtOnce' | 'keepClientVideos'>;
  /** Redacts keys in a text. */
  readonly redact: (text: string) => string;
  /** Whether no new order may be sent. Everything else goes on. */
  readonly isPaused: () => boolean;
  readonly record: History['record'];
  readonly prices: Pick<PriceBook, 'costOf' | 'expectCost'>;
  readonly spendLimits: Pick<SpendLimits, 'admit' | 'findRefusal'>;
  readonly openExchanges: Pick<OpenExchanges, 'begin'>;
  /** Ports of this machine that we listen on. */
  readonly ownPorts: ReadonlySet<number>;
  readonly timing: VideoTiming;
}
