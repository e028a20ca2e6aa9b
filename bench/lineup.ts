import { z } from 'zod';
import { type Child, startChild } from './child.ts';
import type { Door, DoorName } from './door.ts';
import { SERVICE_KEY } from './exchange.ts';
import { nginxVersion, startNginxProxy, startNginxService } from './nginx.ts';

/** What a gateway says of itself. Times in milliseconds; `failed` and the overheads are of the latest 10,000 exchanges. */
const GatewayLook = z.object({
  recorded: z.number(),
  dropped: z.number(),
  failed: z.number(),
  overheadP50: z.number(),
  overheadP99: z.number(),
  loopDelayP99: z.number(),
});
export type GatewayLook = z.infer<typeof GatewayLook>;

/** A service, everything that stands in front of it, and a caller, each in a process of its own. */
export interface Lineup extends AsyncDisposable {
  /** Those that were asked for; nginx only where it is installed. */
  readonly doors: readonly Door[];
  readonly caller: Child;
  lookAtGateway(): Promise<GatewayLook>;
  /** Microseconds of processor time that the process behind a door has used; `null` where it does not tell. */
  processorTime(door: DoorName): Promise<number | null>;
  /** The most streams that the service had on their way at once. */
  mostStreams(): Promise<number>;
}

export interface LineupOptions {
  /** `instant`: answers at once, by nginx where there is one, so that it takes little of the machine. `talking`: also streams. */
  readonly service: 'instant' | 'talking';
  readonly doors: readonly DoorName[];
  /** Where the CPU profile of the gateway goes. */
  readonly profileDir: string | null;
}

const Opened = z.object({ port: z.number(), localKey: z.string().optional() });

/** Opens a line-up. Disposing it ends every process. */
export async function openLineup(options: LineupOptions): Promise<Lineup> {
  await using opening = new AsyncDisposableStack();
  const start = (name: string, flags: readonly string[] = []): Child =>
    opening.use(startChild(new URL(`./processes/${name}.ts`, import.meta.url), flags));
  const service = await openService(options, { start, opening });
  const doors: Door[] = [];
  const processes = new Map<DoorName, Child>();
  for (const name of options.doors) {
    if (name === 'direct') doors.push({ name, url: service.url, key: SERVICE_KEY });
    if (name === 'gateway') {
      const gateway = start(name, profileFlags(options.profileDir));
      processes.set(name, gateway);
      const { port, localKey } = await gateway.ask('open', { serviceUrl: service.url }, Opened);
      doors.push({ name, url: urlOf(port), key: localKey ?? '' });
    }
    if (name === 'http-proxy') {
      const proxy = start(name);
      processes.set(name, proxy);
      const { port } = await proxy.ask('open', { serviceUrl: service.url }, Opened);
      doors.push({ name, url: urlOf(port), key: SERVICE_KEY });
    }
    if (name === 'nginx' && nginxVersion() !== null) {
      const { url } = opening.use(await startNginxProxy(service.url));
      doors.push({ name, url, key: SERVICE_KEY });
    }
  }
  const caller = start('caller');
  const held = opening.move();
  return {
    doors,
    caller,
    lookAtGateway: async () => {
      const gateway = processes.get('gateway');
      if (gateway === undefined) throw new Error('There is no gateway in this line-up.');
      return await gateway.ask('look', null, GatewayLook);
    },
    processorTime: async (door) =>
      (await processes.get(door)?.ask('processor-time', null, z.number())) ?? null,
    mostStreams: async () => await service.mostStreams(),
    [Symbol.asyncDispose]: async () => await held.disposeAsync(),
  };
}

interface Service {
  readonly url: string;
  mostStreams(): Promise<number>;
}

interface Opening {
  readonly start: (name: string) => Child;
  readonly opening: AsyncDisposableStack;
}

async function openService(
  { service }: LineupOptions,
  { start, opening }: Opening,
): Promise<Service> {
  if (service === 'instant' && nginxVersion() !== null) {
    const { url } = opening.use(await startNginxService());
    return { url, mostStreams: () => Promise.resolve(0) };
  }
  const child = start('service');
  const { port } = await child.ask('open', null, Opened);
  return { url: urlOf(port), mostStreams: () => child.ask('most-streams', null, z.number()) };
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}`;
}

function profileFlags(folder: string | null): string[] {
  return folder === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`];
}
