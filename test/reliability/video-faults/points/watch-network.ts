import { channel } from 'node:diagnostics_channel';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { wrap } from './wrap.ts';

/** Events that undici reports for a request, with the name of each point. */
const MOMENTS = {
  'undici:request:create': 'is made',
  'undici:client:sendHeaders': 'leaves',
  'undici:request:bodySent': 'has left',
  'undici:request:headers': 'is being answered',
  'undici:request:bodyChunkReceived': 'has a piece of its answer',
  'undici:request:trailers': 'is answered',
} as const;

/**
 * Reports a point at every event of every outgoing request: `POST /v1/videos leaves`. Returns a function that cuts the network for some
 * time.
 */
export function watchNetwork(pass: (point: string) => void): (downMs: number) => void {
  const sockets = new Set<net.Socket>();
  let downUntil = 0;
  channel('undici:client:connected').subscribe((message) => {
    const socket: unknown = Reflect.get(Object(message), 'socket');
    if (!(socket instanceof net.Socket)) return;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  wrap(net, 'connect', (_, run) => (performance.now() < downUntil ? deadSocket() : run()));
  syncBuiltinESMExports();
  for (const [name, moment] of Object.entries(MOMENTS)) {
    channel(name).subscribe((message) => {
      const request: unknown = Reflect.get(Object(message), 'request');
      pass(`${nameOf(Object(request))} ${moment}`);
    });
  }
  return (downMs) => {
    downUntil = performance.now() + downMs;
    for (const socket of sockets) socket.destroy(networkError('ECONNRESET'));
  };
}

function deadSocket(): net.Socket {
  const socket = new net.Socket();
  process.nextTick(() => socket.destroy(networkError('ENETUNREACH')));
  return socket;
}

function networkError(code: string): Error {
  return Object.assign(new Error(`${code}, made by a test`), { code, syscall: 'read' });
}

function nameOf(request: object): string {
  const [method, path] = ['method', 'path'].map((name) => String(Reflect.get(request, name)));
  if (path?.startsWith('/videos/')) return `${method} the file`;
  return `${method} ${path?.replace(/^(\/v1\/videos)\/[^/]+/u, '$1/{id}')}`;
}
