import type { Settings } from '../../../shared/settings.ts';
import type { Upstream } from '../../../shared/upstream.ts';
import type { History } from '../../history/history.ts';
import type { VideoTiming } from '../transitions/timing.ts';
import type { ServiceConnection } from '../service/types.ts';

/** The use of a service until it is released, or why it cannot be used, in a sentence for people. */
export type ServiceLease =
  | { readonly connection: ServiceConnection; release(): void }
  | { readonly sentence: string };

/** What running the jobs needs of the engine. */
export interface RunnerDeps {
  readonly acquireConnection: (service: string) => Promise<ServiceLease>;
  /** How jobs name the service at a base address. */
  readonly toServiceId: (baseUrl: string) => string;
  /** Every service there is, also one that only this run has. */
  readonly upstreams: () => Promise<readonly Upstream[]>;
  readonly settings: () => Pick<Settings, 'videoFolder' | 'videosAtOnce' | 'keepClientVideos'>;
  /** Takes every key out of a text. */
  readonly redact: (text: string) => string;
  /** Whether no new order is begun; what is under way goes on. */
  readonly isPaused: () => boolean;
  readonly record: History['record'];
  /** The ports of this machine that we listen on. */
  readonly ownPorts: ReadonlySet<number>;
  readonly timing: VideoTiming;
}
