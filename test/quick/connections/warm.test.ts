import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { setImmediate as immediate, setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Connections, openConnections } from '../../../gateway/http/connections.ts';
import { send } from '../../../gateway/http/send.ts';
import { type Authority, createAuthority } from '../../kit/net/authority.ts';
import { collect } from '../../kit/process/memory.ts';
import { openConnectProxy } from '../../kit/net/connect-proxy.ts';
import {
  type CutConnection,
  CUTS,
  type CuttingService,
  openCuttingService,
} from '../../kit/net/cutting-service.ts';
import { jsonAnswer } from '../../kit/net/scripted-upstream.ts';

let authority: Authority;
beforeAll(async () => (authority = await createAuthority()));
afterAll(() => authority[Symbol.asyncDispose]());

const ANSWER = jsonAnswer(200, {});
const signal = new AbortController().signal;
const caller = { client: 'a client', isRetry: false, onLeave: () => undefined };

async function setUp(scheme: 'http' | 'https', proxyUrl: string | null = null) {
  const closing = new AsyncDisposableStack();
  const service = closing.use(await openCuttingService(scheme === 'https' ? authority : undefined));
  const connections = openConnections({
    origin: service.url,
    connectMs: 10_000,
    ownPorts: new Set(),
    extraCa: [await readFile(authority.caFile, 'latin1')],
    proxyUrl,
  });
  closing.defer(() => connections.close());
  return { service, connections, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

/** Sends a request that is answered; resolves with the status. */
async function ask(
  connections: Connections,
  service: Pick<CuttingService, 'url'>,
): Promise<number> {
  const request = { origin: service.url, path: '/v1/models', method: 'GET', headers: [] };
  const response = await send(connections.service, { ...request, body: null }, { signal, caller });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  response.body.read({ data: () => true, end: resolve, fail: reject });
  await promise;
  // The connection is idle after that.
  await immediate();
  return response.status;
}

async function answer(connection: CutConnection): Promise<void> {
  await connection.until('\r\n\r\n');
  connection.send(ANSWER);
}

const WAYS = [
  { scheme: 'http', tunnel: false },
  { scheme: 'https', tunnel: false },
  { scheme: 'http', tunnel: true },
  { scheme: 'https', tunnel: true },
] as const;

describe.each(WAYS)('The spare connection by $scheme, through a proxy: $tunnel', (way) => {
  test('is open before a request, and carries the first one', async () => {
    await using proxy = await openConnectProxy();
    await using setup = await setUp(way.scheme, way.tunnel ? proxy.url : null);
    const { service, connections } = setup;
    connections.prepare();
    const spare = await service.nextConnection();
    expect(spare.received).toBe('');
    const [status] = await Promise.all([ask(connections, service), answer(spare)]);
    expect(status).toBe(200);
    // Another spare may be open by now, so the connections are not counted.
    expect(spare.received).toContain('GET /v1/models');
    expect(proxy.asked.length > 0).toBe(way.tunnel);
  });

  test('is used by a request that arrives while it is being opened', async () => {
    await using proxy = await openConnectProxy();
    await using setup = await setUp(way.scheme, way.tunnel ? proxy.url : null);
    const { service, connections } = setup;
    connections.prepare();
    // The spare is opened in a timer of this length that was set before.
    await setTimeout(0);
    const asking = ask(connections, service);
    await answer(await service.nextConnection());
    expect(await asking).toBe(200);
  });

  test('that says something by itself is not used', async () => {
    await using proxy = await openConnectProxy();
    await using setup = await setUp(way.scheme, way.tunnel ? proxy.url : null);
    const { service, connections } = setup;
    connections.prepare();
    const spare = await service.nextConnection();
    spare.send('HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n');
    await spare.closed;
    const asking = ask(connections, service);
    await answer(await service.nextConnection());
    expect(await asking).toBe(200);
  });
});

describe.each(['http', 'https'] as const)('The spare connection by %s', (scheme) => {
  test.each(CUTS)('that the service has ended by %s costs nothing', async (how) => {
    await using setup = await setUp(scheme);
    const { service, connections } = setup;
    connections.prepare();
    const spare = await service.nextConnection();
    spare.cut(how);
    await spare.closed;
    const asking = ask(connections, service);
    await answer(await service.nextConnection());
    expect(await asking).toBe(200);
    expect(spare.received).toBe('');
  });

  test('that the service has ended is opened again', async () => {
    await using proxy = await openConnectProxy();
    await using setup = await setUp(scheme, proxy.url);
    const { service, connections } = setup;
    connections.prepare();
    (await service.nextConnection()).cut('FIN');
    const second = await service.nextConnection();
    await Promise.all([ask(connections, service), answer(second)]);
    expect(service.connections).toHaveLength(2);
  });
});

test('a request that took a spare which cannot be opened gets a connection of its own', async () => {
  await using service = await openCuttingService(authority);
  const held = Promise.withResolvers<Socket>();
  let count = 0;
  const gate = createServer((socket) => {
    count += 1;
    if (count === 1) return held.resolve(socket);
    socket.pipe(connect(Number(new URL(service.url).port), '127.0.0.1')).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(gate, 'listening');
  const origin = `https://localhost:${Object(gate.address()).port}`;
  const connections = openConnections({
    origin,
    connectMs: 10_000,
    ownPorts: new Set(),
    extraCa: [await readFile(authority.caFile, 'latin1')],
    proxyUrl: null,
  });
  try {
    connections.prepare();
    const opening = await held.promise;
    const asking = ask(connections, { url: origin });
    await immediate();
    opening.destroy();
    const [status] = await Promise.all([asking, service.nextConnection().then(answer)]);
    expect(status).toBe(200);
  } finally {
    await connections.close();
    gate.close();
  }
});

test('a spare is opened when the last idle connection is closed, and not before', async () => {
  await using setup = await setUp('http');
  const { service, connections } = setup;
  connections.prepare();
  const first = await service.nextConnection();
  await Promise.all([ask(connections, service), answer(first)]);
  await Promise.all([ask(connections, service), answer(first)]);
  expect(service.connections).toHaveLength(1);
  first.cut('FIN');
  const spare = await service.nextConnection();
  expect(spare.received).toBe('');
});

test('a spare is opened while the only connection is busy for long', async () => {
  await using setup = await setUp('http');
  const { service, connections } = setup;
  connections.prepare();
  const asking = ask(connections, service);
  const busy = await service.nextConnection();
  await busy.until('\r\n\r\n');
  const spare = await service.nextConnection();
  await Promise.all([ask(connections, service), answer(spare)]);
  busy.send(ANSWER);
  expect(await asking).toBe(200);
});

test('without a first call of prepare there is no spare', async () => {
  await using setup = await setUp('http');
  const { service, connections } = setup;
  const asking = ask(connections, service);
  const first = await service.nextConnection();
  await answer(first);
  await asking;
  first.cut('FIN');
  await first.closed;
  const again = ask(connections, service);
  await answer(await service.nextConnection());
  expect(await again).toBe(200);
  expect(service.connections).toHaveLength(2);
});

test('another network closes what is idle and the spare, and nothing that has a request', async () => {
  await using setup = await setUp('http');
  const { service, connections } = setup;
  connections.prepare();
  const spare = await service.nextConnection();
  connections.renew();
  await spare.closed;
  const asking = ask(connections, service);
  const second = await service.nextConnection();
  await second.until('\r\n\r\n');
  connections.renew();
  second.send(ANSWER);
  expect(await asking).toBe(200);
  connections.renew();
  await second.closed;
});

test('requests go to the connection that was used last', async () => {
  await using setup = await setUp('http');
  const { service, connections } = setup;
  const both = [ask(connections, service), ask(connections, service)];
  const [one, other] = [await service.nextConnection(), await service.nextConnection()];
  await answer(one);
  await both[0];
  await answer(other);
  await both[1];
  for (let i = 0; i < 3; i += 1) {
    await Promise.all([ask(connections, service), answer(other)]);
  }
  expect(one.received.split('GET ')).toHaveLength(2);
  other.cut('FIN');
  await other.closed;
  await Promise.all([ask(connections, service), answer(one)]);
  expect(service.connections).toHaveLength(2);
});

test('a request that follows in the moment in which an answer ends uses the same connection', async () => {
  await using setup = await setUp('http');
  const { service, connections } = setup;
  const request = { origin: service.url, path: '/v1/models', method: 'GET', headers: [] };
  const asking = send(connections.service, { ...request, body: null }, { signal, caller });
  const connection = await service.nextConnection();
  await connection.until('\r\n\r\n');
  connection.send(ANSWER);
  const response = await asking;
  const next = new Promise((resolve) => {
    const end = (): void => resolve(ask(connections, service));
    response.body.read({ data: () => true, end, fail: end });
  });
  await answer(connection);
  expect(await next).toBe(200);
  expect(service.connections).toHaveLength(1);
});

test('a service that names a short keep-alive time gets no request after it', async () => {
  await using setup = await setUp('http');
  const { service, connections } = setup;
  const asking = ask(connections, service);
  const connection = await service.nextConnection();
  await connection.until('\r\n\r\n');
  connection.send(jsonAnswer(200, {}, ['keep-alive: timeout=1', 'connection: keep-alive']));
  await asking;
  await connection.closed;
});

test('TLS sessions are resumed, also after a garbage collection', async () => {
  await using setup = await setUp('https');
  const { service, connections } = setup;
  connections.prepare();
  const first = await service.nextConnection();
  await Promise.all([ask(connections, service), answer(first)]);
  collect();
  first.cut('FIN');
  const second = await service.nextConnection();
  expect(isReused(second)).toBe(true);
});

function isReused({ socket }: CutConnection): boolean {
  return 'isSessionReused' in socket && typeof socket.isSessionReused === 'function'
    ? socket.isSessionReused() === true
    : false;
}

describe('Under a clock that the test sets', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  test('a service that closes idle connections is anticipated, and a silent answer is not cut', async () => {
    await using setup = await setUp('http');
    const { service, connections } = setup;
    const idleFor = async (ms: number): Promise<CutConnection> => {
      const asking = ask(connections, service);
      const connection = await service.nextConnection();
      await connection.until('\r\n\r\n');
      // Ten minutes without a byte of an answer are not idle.
      vi.advanceTimersByTime(600_000);
      connection.send(ANSWER);
      expect(await asking).toBe(200);
      vi.advanceTimersByTime(ms);
      return connection;
    };
    for (let i = 0; i < 2; i += 1) {
      const connection = await idleFor(900);
      connection.cut('FIN');
      await connection.closed;
    }
    // Gatehouse closes this one itself: a second before 900 ms is at once.
    const anticipated = await idleFor(0);
    await anticipated.closed;
    await idleFor(0);
  });
});
