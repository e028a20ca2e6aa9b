import { Mutex } from 'async-mutex';
import type { EffectiveSettings } from '../../shared/settings.ts';
import { Emitter } from '../lib/emitter.ts';
import type { PlatformAdapter } from '../platform.ts';
import { LIMITS, type Limits } from '../proxy/proxy.ts';
import type { Repositories } from '../repositories.ts';
import type { ServiceLimits } from '../service-limit/service-limits.ts';
import type { UpstreamOverride } from '../upstreams/upstream-catalog.ts';
import type { VideoTiming } from '../videos/videos.ts';
import type { ChangedTopic } from './live-events.ts';
import { createServiceLimits, type PauseState } from './pause-state.ts';
import { Report } from './self-report.ts';

export interface EngineOptions {
  readonly repositories: Repositories;
  readonly platform: PlatformAdapter;
  /** Of Gatehouse. */
  readonly version: string;
  /** For this run; unless given the active one of the data folder, or the sandbox. */
  readonly upstream?: UpstreamOverride;
  /** For this run; unless given that of the settings. 0 for any free one. */
  readonly port?: number;
  /** Turns every repair off for this run. */
  readonly strict?: boolean;
  /** What may not be changed in this run, with the reason in words for people. */
  readonly pinned?: EffectiveSettings['pinned'];
  /** Origins of web pages that may use the proxy. */
  readonly allowedOrigins: readonly string[];
  readonly limits?: Partial<Limits> & {
    readonly videos?: Partial<VideoTiming>;
    /** The most that is held of requests and answers, in bytes; a share of this machine's memory unless given. */
    readonly heldBytes?: number;
    /** Between two questions about the proxy of the system: an hour unless given. */
    readonly proxyLookMs?: number;
  };
}

/** Values that all parts of one running engine share. */
export interface EngineContext {
  readonly options: EngineOptions;
  /** Differs after every start. */
  readonly id: string;
  /** Unix time in milliseconds. */
  readonly startedAt: number;
  /** Serves the status and the metrics at the proxy. */
  readonly report: Report;
  readonly ownPorts: Set<number>;
  readonly changes: Emitter<ChangedTopic>;
  readonly pause: PauseState;
  readonly limits: Limits;
  readonly serviceLimits: ServiceLimits;
  readonly mutex: Mutex;
  /** Closes what was opened, the latest first. */
  readonly closing: AsyncDisposableStack;
}

const ID_BYTES = 4;

/** Creates the shared parts of an engine. They end with `closing`. */
export function createEngineContext(
  options: EngineOptions,
  closing: AsyncDisposableStack,
): EngineContext {
  const { now, randomBytes } = options.repositories.host;
  const limits = { ...LIMITS, ...options.limits };
  const changes = new Emitter<ChangedTopic>();
  const { pause, serviceLimits } = createServiceLimits(changes, { waitMs: limits.queueMs, now });
  closing.defer(() => serviceLimits.close());
  return {
    options,
    id: Buffer.from(randomBytes(ID_BYTES)).toString('hex'),
    startedAt: now(),
    report: new Report(randomBytes),
    ownPorts: new Set<number>(),
    changes,
    pause,
    limits,
    serviceLimits,
    mutex: new Mutex(),
    closing,
  };
}
