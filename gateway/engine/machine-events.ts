import type { Proxy } from '../proxy/proxy.ts';
import type { ConnectionRefresher } from '../upstreams/connection-refresher.ts';
import { MachineWatch } from '../upstreams/machine-watch.ts';
import type { VideoRunner } from '../videos/videos.ts';
import type { EngineContext } from './context.ts';
import type { EngineCore } from './core.ts';

const INTERVAL_MS = 10_000;

interface WatchedParts extends Pick<EngineCore, 'pool'> {
  readonly proxy: Proxy;
  readonly videoRun: VideoRunner;
  readonly refresher: ConnectionRefresher;
}

/**
 * Replaces connections when this engine itself notices a sleep of the machine or another network. A shell may report a sleep, too. The
 * request that made it notice already uses a new connection.
 */
export function watchMachine(
  { pool, proxy, videoRun, refresher }: WatchedParts,
  { options, activity, closing }: EngineContext,
): void {
  const { host } = options.repositories;
  const watch = new MachineWatch({
    host,
    intervalMs: options.limits?.machineLookMs ?? INTERVAL_MS,
    isBusy: () => proxy.running > 0,
    onEvent: (event) => {
      const slept = event === 'slept';
      host.log('info', slept ? 'This machine has slept.' : 'The network has changed.');
      if (slept) proxy.sleep();
      pool.renewAll();
      void (async () => {
        await refresher.reconnect();
        if (slept) videoRun.restart();
      })();
    },
  });
  closing.defer(activity.on(watch.requestArrived));
  closing.defer(() => watch.close());
}
