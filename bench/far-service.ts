import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { openRepositories } from '../gateway/gateway.ts';
import { createAuthority } from '../test/kit/net/authority.ts';
import { startChild } from './child.ts';
import { createBenchHost } from './data/bench-host.ts';

/** A service that speaks TLS 1.3 only, reached through proxies that delay all bytes. */
export interface FarService extends AsyncDisposable {
  /** The authority (PEM) that its certificate is from. */
  readonly ca: string;
  /** Its address without any delay. */
  readonly nearUrl: string;
  /** Opens an address of the service at this distance. */
  openAddress(roundTripMs: number): Promise<string>;
  /** Stores the service with its authority in a new data folder, as the window's form does. */
  fillFolder(folder: string, url: string): Promise<void>;
}

const OpenedPort = z.object({ port: z.number() });

/** Starts the service and the proxies, each in its own process, with a certificate that is made now. */
export async function openFarService(): Promise<FarService> {
  await using opening = new AsyncDisposableStack();
  const authority = opening.use(await createAuthority());
  const ca = await readFile(authority.caFile, 'utf8');
  const start = (name: string) =>
    opening.use(startChild(new URL(`./processes/${name}.ts`, import.meta.url)));
  const tls = { cert: String(authority.cert), key: String(authority.key) };
  const service = await start('service').call('open', { tls }, OpenedPort);
  const proxy = start('delaying-proxy');
  const resources = opening.move();
  return {
    ca,
    nearUrl: toUrl(service.port),
    openAddress: async (roundTripMs) => {
      const { port } = await proxy.call('open', { ...service, roundTripMs }, OpenedPort);
      return toUrl(port);
    },
    fillFolder: async (folder, url) => {
      const repositories = await openRepositories({ host: createBenchHost(folder) });
      const form = { name: '', baseUrl: url, versionVendor: 'bench', proxyUrl: null };
      await repositories.upstreams.add({ ...form, caFile: authority.caFile });
      await repositories.close();
    },
    [Symbol.asyncDispose]: async () => await resources.disposeAsync(),
  };
}

function toUrl(port: number): string {
  return `https://localhost:${port}`;
}
