import { z } from 'zod';
import { type Child, startChild } from './child.ts';
import type { Target, TargetName } from './target.ts';
import { SERVICE_KEY } from './data/exchange.ts';
import { nginxVersion, startNginxProxy, startNginxService } from './nginx.ts';

/** What a gateway says of itself. Times in milliseconds; `failed` and the overheads are of the latest 10,000 exchanges. */
const GatewayStats = z.object({
  recorded: z.number(),
  dropped: z.number(),
  failed: z.number(),
  overheadP50: z.number(),
  overheadP99: z.number(),
  loopDelayP99: z.number(),
});
export type GatewayStats = z.infer<typeof GatewayStats>;

/** A service, everything that stands in front of it, and a caller, each in a process of its own. */
export interface TestBed extends AsyncDisposable {
  /** Those that were asked for; nginx only where it is installed. */
  readonly targets: readonly Target[];
  readonly caller: Child;
  readGatewayStats(): Promise<GatewayStats>;
  /** Microseconds of processor time that the process behind a door has used; `null` where it does not tell. */
  processorTime(door: TargetName): Promise<number | null>;
  /** The most streams that the service had on their way at once. */
  peakStreams(): Promise<number>;
}

export interface TestBedOptions {
  /** `instant`: answers at once, by nginx where there is one, so that it takes little of the machine. `talking`: also streams. */
  readonly service: 'instant' | 'talking';
  readonly doors: readonly TargetName[];
  /** Where the CPU profile of the gateway goes. */
  readonly profileDir: string | null;
}

const OpenedPort = z.object({ port: z.number(), localKey: z.string().optional() });

/** Opens a line-up. Disposing it ends every process. */
export async function openTestBed(options: TestBedOptions): Promise<TestBed> {
  await using opening = new AsyncDisposableStack();
  const start = (name: string, flags: readonly string[] = []): Child =>
    opening.use(startChild(new URL(`./processes/${name}.ts`, import.meta.url), flags));
  const service = await openService(options, { start, opening });
  const targets: Target[] = [];
  const processes = new Map<TargetName, Child>();
  for (const name of options.doors) {
    if (name === 'direct') targets.push({ name, url: service.url, key: SERVICE_KEY });
    if (name === 'gateway') {
      const gateway = start(name, profileFlags(options.profileDir));
      processes.set(name, gateway);
      const { port, localKey } = await gateway.call(
        'open',
        { serviceUrl: service.url },
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
  const held = opening.move();
  return {
    targets,
    caller,
    readGatewayStats: async () => {
      const gateway = processes.get('gateway');
      if (gateway === undefined) throw new Error('There is no gateway in this line-up.');
      return await gateway.call('look', null, GatewayStats);
    },
    processorTime: async (door) =>
      (await processes.get(door)?.call('processor-time', null, z.number())) ?? null,
    peakStreams: async () => await service.peakStreams(),
    [Symbol.asyncDispose]: async () => await held.disposeAsync(),
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
  const { port } = await child.call('open', null, OpenedPort);
  return { url: toUrl(port), peakStreams: () => child.call('most-streams', null, z.number()) };
}

function toUrl(port: number): string {
  return `http://127.0.0.1:${port}`;
}

function profileFlags(folder: string | null): string[] {
  return folder === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`];
}
