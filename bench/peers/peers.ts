import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHAT_PATH, MODEL, SERVICE_KEY } from '../data/exchange.ts';
import { freePort } from '../../test/kit/net/free-port.ts';
import { startListening } from '../listening.ts';
import type { Target } from '../target.ts';
import { installPackage } from './npm-package.ts';

/** Another proxy or gateway, running in front of the service. Disposing it ends it. */
export interface Peer extends AsyncDisposable {
  readonly target: Target;
}

/** A way to get and start a peer. `start` rejects when it cannot be had here. */
export interface PeerSource {
  readonly name: Target['name'];
  readonly start: (serviceUrl: string) => Promise<Peer>;
}

const PORTKEY = { name: '@portkey-ai/gateway', version: '1.15.2' };
/** Version 3.1.1 depends on a package that the registry does not have. */
const ROUTER = { name: '@musistudio/claude-code-router', version: '2.0.0' };
const ROUTER_KEY = 'bench-router-key';
const LOOPBACK_ONLY = fileURLToPath(new URL('../processes/loopback-only.ts', import.meta.url));

/** The peers that npm and Debian have. LiteLLM's proxy is in neither. */
export const PEERS: readonly PeerSource[] = [
  { name: 'haproxy', start: startHaproxy },
  { name: 'portkey', start: startPortkey },
  { name: 'claude-code-router', start: startRouter },
];

/** Starts haproxy with one thread, as nginx has one worker, and without waiting for more bytes before it sends some. */
async function startHaproxy(serviceUrl: string): Promise<Peer> {
  if (spawnSync('haproxy', ['-v']).error !== undefined) throw new Error('It is not installed.');
  const port = await freePort();
  const configuration = `
global
  nbthread 1
  maxconn 8192
defaults
  mode http
  timeout connect 5s
  timeout client 1h
  timeout server 1h
  http-reuse always
  option http-no-delay
frontend clients
  bind 127.0.0.1:${port}
  default_backend service
backend service
  server service ${new URL(serviceUrl).host}
`;
  const folder = await createFolder({ 'haproxy.cfg': configuration });
  const args = ['-db', '-f', join(folder, 'haproxy.cfg')];
  const program = await startListening({ command: 'haproxy', args, port });
  const target: Target = { name: 'haproxy', url: toUrl(port), key: SERVICE_KEY };
  return toPeer(target, program, folder);
}

/** Starts Portkey's gateway, which gets the address of the service in headers. */
async function startPortkey(serviceUrl: string): Promise<Peer> {
  const main = join(await installPackage(PORTKEY), 'build', 'start-server.js');
  const port = await freePort();
  const args = ['--import', LOOPBACK_ONLY, main, `--port=${port}`, '--headless'];
  const program = await startListening({ command: process.execPath, args, port });
  const headers = {
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `${serviceUrl}/v1`,
  };
  return toPeer({ name: 'portkey', url: toUrl(port), key: SERVICE_KEY, headers }, program);
}

/** Starts Claude Code Router, which takes the Messages protocol only and translates it into the service's. */
async function startRouter(serviceUrl: string): Promise<Peer> {
  const main = join(await installPackage(ROUTER), 'dist', 'cli.js');
  const port = await freePort();
  const service = { name: 'bench', api_key: SERVICE_KEY, models: [MODEL] };
  const settings = {
    HOST: '127.0.0.1',
    PORT: port,
    APIKEY: ROUTER_KEY,
    LOG: false,
    NON_INTERACTIVE_MODE: true,
    Providers: [{ ...service, api_base_url: serviceUrl + CHAT_PATH }],
    Router: { default: `bench,${MODEL}` },
  };
  const file = join('.claude-code-router', 'config.json');
  const home = await createFolder({ [file]: JSON.stringify(settings) });
  const program = await startListening({
    command: process.execPath,
    args: [main, 'start'],
    port,
    environment: { ...process.env, HOME: home },
  });
  const target: Target = {
    name: 'claude-code-router',
    url: toUrl(port),
    key: ROUTER_KEY,
    path: '/v1/messages',
  };
  return toPeer(target, program, home);
}

function toPeer(target: Target, program: AsyncDisposable, folder?: string): Peer {
  return {
    target,
    [Symbol.asyncDispose]: async () => {
      await program[Symbol.asyncDispose]();
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

async function createFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-peer-'));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

function toUrl(port: number): string {
  return `http://127.0.0.1:${port}`;
}
