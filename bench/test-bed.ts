import { z } from 'zod';
import { type Child, startChild } from './child.ts';
import type { Target, TargetName } from './target.ts';
import { SERVICE_KEY } from './data/exchange.ts';
import { readMainThreadTime } from './process-figures.ts';
import { nginxVersion, startNginxProxy, startNginxService } from './nginx.ts';

/** Statistics that the gateway reports. Times in milliseconds; `failed` and the overheads are of the latest 10,000 exchanges. */
const GatewayStats = z.object({
  recorded: z.number(),
  dropped: z.number(),
  failed: z.number(),
  overheadP50: z.number(),
  overheadP99: z.number(),
  loopDelayP99: z.number(),
  /** Exchanges with stored bodies, the bytes of these bodies, and their bytes on the disk. */
  bodies: z.object({ exchanges: z.number(), plain: z.number(), stored: z.number() }),
});
export type GatewayStats = z.infer<typeof GatewayStats>;

/** A service, the proxies in front of it, and a caller, each in its own process. */
export interface TestBed extends AsyncDisposable {
  /** The requested targets; nginx only where it is installed. */
  readonly targets: readonly Target[];
  readonly caller: Child;
  readGatewayStats(): Promise<GatewayStats>;
  /** Returns the CPU time of a target's process in microseconds; `null` where it is unknown. */
  processorTime(target: TargetName): Promise<number | null>;
  /** Returns the CPU time of its main thread in microseconds; `null` where it is unknown. */
  mainThreadTime(target: TargetName): Promise<number | null>;
  /** Returns the peak number of concurrent streams of the service. */
  peakStreams(): Promise<number>;
}

export interface TestBedOptions {
  /** `instant`: answers immediately, with nginx if installed, to use little CPU. `streaming`: can also stream. */
  readonly service: 'instant' | 'streaming';
  readonly targets: readonly TargetName[];
  /** Folder for the CPU profile of the gateway; `null` for none. */
  readonly profileDir: string | null;
}

const OpenedPort = z.object({ port: z.number(), localKey: z.string().optional() });

/** Starts the processes of a test bed. Disposing it ends all of them. */
export async function openTestBed(options: TestBedOptions): Promise<TestBed> {
  await using opening = new AsyncDisposableStack();
  const start = (name: string, flags: readonly string[] = []): Child =>
    opening.use(startChild(new URL(`./processes/${name}.ts`, import.meta.url), flags));
  const service = await openService(options, { start, opening });
  const targets: Target[] = [];
  const processes = new Map<TargetName, Child>();
  for (const name of options.targets) {
    if (name === 'direct') targets.push({ name, url: service.url, key: SERVICE_KEY });
    if (name === 'gateway' || name === 'without bodies' || name === 'without limits') {
      const gateway = start(
        'gateway',
        profileFlags(name === 'gateway' ? options.profileDir : null),
      );
      processes.set(name, gateway);
      const { port, localKey } = await gateway.call(
        'open',
        {
          serviceUrl: service.url,
          keepsBodies: name !== 'without bodies',
          isLimited: name !== 'without limits',
        },
        OpenedPort,
      );
      targets.push({ name, url: toUrl(port), key: localKey ?? '' });
    }
    if (name === 'http-proxy') {
      const proxy = start(name);
      processes.set(name, proxy);
      const { port } = await proxy.call('open', { serviceUrl: service.url }, OpenedPort);
      targets.push({ name, url: toUrl(port), key: SERVICE_KEY });
    }
    if (name === 'nginx' && nginxVersion() !== null) {
      const { url } = opening.use(await startNginxProxy(service.url));
      targets.push({ name, url, key: SERVICE_KEY });
    }
  }
  const caller = start('caller');
  const resources = opening.move();
  return {
    targets,
    caller,
    readGatewayStats: async () => {
      const gateway = processes.get('gateway');
      if (gateway === undefined) throw new Error('This test bed has no gateway.');
      return await gateway.call('stats', null, GatewayStats);
    },
    processorTime: async (target) =>
      (await processes.get(target)?.call('processor-time', null, z.number())) ?? null,
    mainThreadTime: async (target) => {
      const child = processes.get(target);
      return child === undefined ? null : await readMainThreadTime(child.pid);
    },
    peakStreams: async () => await service.peakStreams(),
    [Symbol.asyncDispose]: async () => await resources.disposeAsync(),
  };
}

interface Service {
  readonly url: string;
  peakStreams(): Promise<number>;
}

interface OpeningContext {
  readonly start: (name: string) => Child;
  readonly opening: AsyncDisposableStack;
}

async function openService(
  { service }: TestBedOptions,
  { start, opening }: OpeningContext,
): Promise<Service> {
  if (service === 'instant' && nginxVersion() !== null) {
    const { url } = opening.use(await startNginxService());
    return { url, peakStreams: () => Promise.resolve(0) };
  }
  const child = start('service');
  const { port } = await child.call('open', {}, OpenedPort);
  return { url: toUrl(port), peakStreams: () => child.call('peak-streams', null, z.number()) };
}

function toUrl(port: number): string {
  return `http://127.0.0.1:${port}`;
}

function profileFlags(folder: string | null): string[] {
  return folder === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`];
}
