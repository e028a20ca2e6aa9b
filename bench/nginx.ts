import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ANSWER_BODY, CHAT_PATH, MODELS_BODY, MODELS_PATH, SERVICE_KEY } from './data/exchange.ts';
import { freePort } from '../test/kit/net/free-port.ts';
import { startListening } from './listening.ts';

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
  const program = await startListening({
    command: 'nginx',
    args: ['-p', folder, '-c', file],
    port,
  });
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      await program[Symbol.asyncDispose]();
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
