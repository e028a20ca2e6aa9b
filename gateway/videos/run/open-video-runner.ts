import type { VideoOrderRegistry } from '../../proxy/proxy.ts';
import type { Host } from '../../host.ts';
import type { RunnerDeps } from './deps.ts';
import type { JobRepository } from '../store/job-repository.ts';
import { ClientOrders } from '../client-orders/client-orders.ts';
import { createSaveUntilDone } from './save-until-done.ts';
import { StatusCache } from '../client-orders/status-cache.ts';
import { RequestRecorder } from './request-recorder.ts';
import { createVideos } from '../videos-api.ts';
import { Runner } from './runner.ts';
import { startCleanup } from './cleanup.ts';
import { createVideoServiceClient } from '../service/video-service-client.ts';
import { VIDEO_SERVICE_LIMITS } from '../service/types.ts';
import type { Images } from '../../images/images.ts';
import type { Videos } from '../types.ts';

/** Runs the video jobs of a data folder, in one process at a time. */
export interface VideoRunner {
  readonly videos: Videos;
  readonly orders: VideoOrderRegistry;
  /** Starts acting. */
  begin(): void;
  /** Checks for due jobs after a change of settings. */
  wake(): void;
  /** Restarts free actions after a sleep of the machine, because their connections are most likely dead. */
  restart(): void;
  /** Tries blocked jobs at once, after a key or a service has changed. */
  unblock(): void;
  /** Starts nothing more, waits up to `drainMs` for orders that are being sent, and stops the rest. A second call with less time hurries. */
  close(drainMs: number): Promise<void>;
}

export interface VideoRunnerOptions {
  readonly repository: JobRepository;
  readonly images: Images;
  readonly host: Host;
  readonly deps: RunnerDeps;
}

/** Recovers the jobs of an earlier run: an order that was being sent then is unsure. */
export async function openVideoRunner({
  repository,
  images,
  host,
  deps,
}: VideoRunnerOptions): Promise<VideoRunner> {
  const { now, randomBytes, log, dataDir } = host;
  repository.configure(deps);
  const statusCache = new StatusCache();
  const serviceClient = createVideoServiceClient({
    now,
    randomBytes,
    ownPorts: deps.ownPorts,
    limits: VIDEO_SERVICE_LIMITS,
  });
  const runner = new Runner({
    repository,
    images,
    serviceClient,
    recorder: new RequestRecorder({ ...deps, randomBytes, now }),
    run: deps,
    dataDir,
    onReply: ({ service }, taskId, reply) => {
      if (taskId !== null) statusCache.setReply(service, taskId, reply, Math.round(now()));
    },
    log,
    now,
  });
  const ending = new AbortController();
  const orders = new ClientOrders({
    repository,
    run: deps,
    recent: statusCache,
    saveUntilDone: createSaveUntilDone(log, ending.signal),
    serviceClient,
    onFault: (error) =>
      log('error', 'A client’s poll was not recorded.', { reason: String(error) }),
    randomBytes,
  });
  await runner.recover();
  const stopTidying = startCleanup({ repository, images, log });
  const stops = [
    repository.on(() => runner.wake()),
    repository.store.onExternalChange(() => runner.wake()),
  ];
  return {
    videos: createVideos({ ...deps, repository, images, host }),
    orders,
    begin: () => runner.begin(),
    wake: () => runner.wake(),
    restart: () => runner.restart(),
    unblock: () => void runner.unblock(),
    close: async (drainMs) => {
      for (const stop of stops) stop();
      await Promise.all([runner.close(drainMs), stopTidying()]);
      ending.abort();
    },
  };
}
