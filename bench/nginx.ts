import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ANSWER_BODY, CHAT_PATH, MODELS_BODY, MODELS_PATH, SERVICE_KEY } from './data/exchange.ts';

/** A running nginx with one worker. */
export interface Nginx extends AsyncDisposable {
  readonly url: string;
}

/** Returns the version of the installed nginx; `null` when there is none. */
export function nginxVersion(): string | null {
  const { stderr } = spawnSync('nginx', ['-v'], { encoding: 'utf8' });
  return /nginx\/(\S+)/.exec(stderr ?? '')?.[1] ?? null;
}

/** Starts nginx as the service: it checks the service key and answers every chat request immediately with the same bytes. */
export async function startNginxService(): Promise<Nginx> {
  return await startNginx(`
    location = ${CHAT_PATH} {
      default_type application/json;
      if ($http_authorization != 'Bearer ${SERVICE_KEY}') { return 401 '{}'; }
      return 200 '${ANSWER_BODY}';
    }
    location = ${MODELS_PATH} { default_type application/json; return 200 '${MODELS_BODY}'; }`);
}

/** Starts nginx as a proxy for a service, with keep-alive connections and without buffering. */
export async function startNginxProxy(serviceUrl: string): Promise<Nginx> {
  return await startNginx(
    `
    location / {
      proxy_pass http://service;
      proxy_http_version 1.1;
      proxy_set_header Connection '';
      proxy_buffering off;
      proxy_read_timeout 1h;
    }`,
    `upstream service { server ${new URL(serviceUrl).host}; keepalive 2048; keepalive_requests 1000000000; }`,
  );
}

async function startNginx(locations: string, upstream = ''): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-nginx-'));
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  await writeFile(file, configuration({ folder, port, locations, upstream }));
  const child = spawn('nginx', ['-p', folder, '-c', file], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  const stopWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', stopWithUs);
  await waitUntilListening(port, child);
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await ended;
      process.off('exit', stopWithUs);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Configuration {
  readonly folder: string;
  readonly port: number;
  readonly locations: string;
  readonly upstream: string;
}

function configuration({ folder, port, locations, upstream }: Configuration): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ');
  return `
daemon off;
# One process does all the work: one worker, and no master to outlive us.
master_process off;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${folder}/pid;
error_log stderr error;
worker_rlimit_nofile 16384;
events { worker_connections 8192; }
http {
  access_log off;
  ${temporary}
  keepalive_timeout 300s;
  keepalive_requests 1000000000;
  client_max_body_size 0;
  client_body_buffer_size 16m;
  tcp_nodelay on;
  ${upstream}
  server {
    listen 127.0.0.1:${port} backlog=4096;
    ${locations}
  }
}`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Waits until the port accepts connections; nginx does not report that it is ready. */
async function waitUntilListening(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const socket = connect(port, '127.0.0.1');
    const taken = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (taken) return;
    await wait(10);
  }
  throw new Error(`nginx ended with ${child.exitCode}.`);
}
