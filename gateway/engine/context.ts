import { Mutex } from 'async-mutex';
import type { EffectiveSettings } from '../../shared/settings.ts';
import { Emitter } from '../lib/emitter.ts';
import type { Holds } from '../holds/holds.ts';
import type { PlatformAdapter } from '../platform.ts';
import { LIMITS, type Limits } from '../proxy/proxy.ts';
import type { Repositories } from '../repositories.ts';
import type { ServiceLimits } from '../service-limit/service-limits.ts';
import type { UpstreamOverride } from '../upstreams/upstream-catalog.ts';
import type { VideoTiming } from '../videos/videos.ts';
import type { ChangedTopic } from './live-event-broadcaster.ts';
import { createServiceLimits, type PauseState } from './pause-state.ts';
import { openHolds } from './holds.ts';
import { EngineControlChannel } from './control-channel.ts';
import { Report } from './self-report.ts';

export interface EngineOptions {
  readonly repositories: Repositories;
  readonly platform: PlatformAdapter;
  /** The version of Gatehouse. */
  readonly version: string;
  /** The upstream for this run; defaults to the active one of the data folder, or the sandbox. */
  readonly upstream?: UpstreamOverride;
  /** The port for this run; defaults to the setting. 0 picks a free port. */
  readonly port?: number;
  /** Whether repairs are off in this run. */
  readonly strict?: boolean;
  /** Settings that cannot be changed in this run, with the reason for people. */
  readonly pinned?: EffectiveSettings['pinned'];
  /** How a person resumes after a pause in this shell: the words after “Resume it”. Defaults to the command. */
  readonly resumeHint?: string;
  /** Origins of web pages that may use the proxy. */
  readonly allowedOrigins: readonly string[];
  readonly limits?: Partial<Limits> & {
    readonly videos?: Partial<VideoTiming>;
    /** Maximum of buffered requests and responses in bytes; defaults to a share of this machine's memory. */
    readonly heldBytes?: number;
    /** Interval of checks of the system's proxy; defaults to an hour. */
    readonly proxyLookMs?: number;
    /** Interval of checks for a sleep or another network while clients are active; defaults to ten seconds. */
    readonly machineLookMs?: number;
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
  /** Serves the calls of commands at the proxy. */
  readonly control: EngineControlChannel;
  readonly ownPorts: Set<number>;
  readonly changes: Emitter<ChangedTopic>;
  /** Emits when a request of a client arrives, and before an action of a video. */
  readonly activity: Emitter;
  readonly pause: PauseState;
  readonly holds: Holds;
  readonly limits: Limits;
  readonly serviceLimits: ServiceLimits;
  readonly mutex: Mutex;
  /** Closes the opened parts in reverse order. */
  readonly closing: AsyncDisposableStack;
}

const ID_BYTES = 4;

/** Creates the shared parts of an engine. They end with `closing`. */
export function createEngineContext(
  options: EngineOptions,
  closing: AsyncDisposableStack,
): EngineContext {
  const { now, randomBytes, command } = options.repositories.host;
  const limits = { ...LIMITS, ...options.limits };
  const changes = new Emitter<ChangedTopic>();
  const { pause, serviceLimits } = createServiceLimits(changes, {
    waitMs: limits.queueMs,
    now,
    resumeHint: options.resumeHint ?? `with the command: ${command ?? 'gatehouse'} resume`,
  });
  closing.defer(() => serviceLimits.close());
  const holds = openHolds(options.repositories, { pause, changes }, closing);
  return {
    options,
    id: Buffer.from(randomBytes(ID_BYTES)).toString('hex'),
    startedAt: now(),
    report: new Report(randomBytes),
    control: new EngineControlChannel(randomBytes),
    ownPorts: new Set<number>(),
    changes,
    activity: new Emitter(),
    pause,
    holds,
    limits,
    serviceLimits,
    mutex: new Mutex(),
    closing,
  };
}
