import type { Settings } from '../../shared/settings.ts';
import type { Upstream } from '../../shared/upstream.ts';
import type { History } from '../history/history.ts';
import type { VideoPace } from './pace.ts';
import type { Wire } from './studio/studio.ts';

/** The way to a service for a while, or why there is none, in words for people. */
export type Lent = { readonly wire: Wire; release(): void } | { readonly sentence: string };

/** What running the jobs needs of the engine. */
export interface RunGround {
  readonly wireTo: (service: string) => Promise<Lent>;
  /** How jobs name the service at a base address. */
  readonly serviceAt: (baseUrl: string) => string;
  /** Every service there is, also one that only this run has. */
  readonly upstreams: () => Promise<readonly Upstream[]>;
  readonly settings: () => Pick<Settings, 'videoFolder' | 'videosAtOnce' | 'keepClientVideos'>;
  /** Takes every key out of a text. */
  readonly redact: (text: string) => string;
  /** Whether no new order is begun; what is under way goes on. */
  readonly paused: () => boolean;
  readonly record: History['record'];
  /** The ports of this machine that we listen on. */
  readonly ownPorts: ReadonlySet<number>;
  readonly pace: VideoPace;
}
