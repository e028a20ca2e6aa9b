import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Connections, openConnections } from '../../../gateway/http/connections.ts';
import { UpstreamSendError } from '../../../gateway/http/errors.ts';
import { send, type UpstreamResponse } from '../../../gateway/http/send.ts';
import { type Authority, createAuthority } from '../../kit/net/authority.ts';
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

const ANSWER = jsonAnswer(200, { fine: true });
const signal = new AbortController().signal;

interface Setup extends AsyncDisposable {
  readonly service: CuttingService;
  readonly connections: Connections;
}

async function setUp(scheme: 'http' | 'https'): Promise<Setup> {
  const service = await openCuttingService(scheme === 'https' ? authority : undefined);
  const connections = openConnections({
    origin: service.url,
    connectMs: 10_000,
    ownPorts: new Set(),
    extraCa: scheme === 'https' ? [await readFile(authority.caFile, 'latin1')] : [],
  });
  return {
    service,
    connections,
    [Symbol.asyncDispose]: async () => {
      await connections.close();
      await service[Symbol.asyncDispose]();
    },
  };
}

/** Kinds of request, each with a mark by which the service recognizes it. */
const BODIES = {
  'a plain request': (mark: string) => Buffer.from(`{"mark":"${mark}"}`),
  'a streamed upload': (mark: string) => Readable.from([Buffer.from(mark), Buffer.alloc(64_000)]),
} as const;
type Kind = keyof typeof BODIES;
const KINDS = Object.keys(BODIES).filter((name): name is Kind => name in BODIES);

/** Sends a request; resolves with the response or its error. */
function ask(
  { connections, service }: Setup,
  mark: string,
  kind: Kind = 'a plain request',
): Promise<UpstreamResponse | UpstreamSendError> {
  const request = {
    origin: service.url,
    path: `/v1/${mark}`,
    method: 'POST',
    headers: ['content-type', 'application/octet-stream'],
    body: BODIES[kind](mark),
  };
  return send(connections.service, request, { signal }).catch((error: unknown) => {
    if (error instanceof UpstreamSendError) return error;
    throw error;
  });
}

async function readText(response: UpstreamResponse | UpstreamSendError): Promise<string> {
  if (response instanceof UpstreamSendError) throw response;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = '';
  response.body.read({
    data: (chunk) => {
      text += chunk.toString();
      return true;
    },
    end: () => resolve(text),
    fail: reject,
  });
  return await promise;
}

/** Makes one exchange, so that its connection is idle. */
async function openIdle(setup: Setup, mark = 'first'): Promise<CutConnection> {
  const asking = ask(setup, mark);
  const connection = await setup.service.nextConnection();
  await connection.until(`"${mark}"}`);
  connection.send(ANSWER);
  expect(await readText(await asking)).toContain('fine');
  await new Promise((resolve) => setImmediate(resolve));
  return connection;
}

/** Answers the next request on any connection after the first ones. */
async function answerOnNew({ service }: Setup, mark: string): Promise<void> {
  const connection = await service.nextConnection();
  await connection.until(mark);
  connection.send(ANSWER);
}

const CASES = (['http', 'https'] as const).flatMap((scheme) =>
  CUTS.flatMap((how) => KINDS.map((kind) => ({ scheme, how, kind }))),
);

describe.each(CASES)('When $kind by $scheme follows a connection that ends by $how', (one) => {
  const { scheme, how, kind } = one;

  test('right after the answer, it is sent once on a new connection', async () => {
    await using setup = await setUp(scheme);
    const asking = ask(setup, 'first');
    const connection = await setup.service.nextConnection();
    await connection.until('"first"}');
    connection.socket.write(ANSWER, () => connection.cut(how));
    const first = await asking;
    if (first instanceof UpstreamSendError) expect(how).toBe('RST');
    else await readText(first).catch(() => undefined);
    await connection.closed;
    const [next] = await Promise.all([
      ask(setup, 'second', kind),
      answerOnNew(setup, '/v1/second'),
    ]);
    expect(await readText(next)).toContain('fine');
    expect(setup.service.count('POST /v1/second ')).toBe(1);
    expect(setup.service.count('POST /v1/first ')).toBe(1);
  });

  test('while it is idle, it is sent once on a new connection', async () => {
    await using setup = await setUp(scheme);
    const connection = await openIdle(setup);
    connection.cut(how);
    await connection.closed;
    const [next] = await Promise.all([
      ask(setup, 'second', kind),
      answerOnNew(setup, '/v1/second'),
    ]);
    expect(await readText(next)).toContain('fine');
    expect(setup.service.count('POST /v1/second ')).toBe(1);
  });

  test('in the moment in which it is sent, it arrives once at most, and the error is honest', async () => {
    await using setup = await setUp(scheme);
    const connection = await openIdle(setup);
    connection.cut(how);
    const asking = ask(setup, 'second', kind);
    void answerOnNew(setup, '/v1/second').catch(() => undefined);
    const next = await asking;
    const arrived = setup.service.count('POST /v1/second ');
    if (next instanceof UpstreamSendError) {
      expect(next.nothingSent).toBe(false);
      expect(arrived).toBeLessThanOrEqual(1);
    } else expect(arrived).toBe(1);
  });

  test.each([1, 20])(
    'after %i bytes of it, it is not sent again, and may have arrived',
    async (bytes) => {
      await using setup = await setUp(scheme);
      const connection = await openIdle(setup);
      const asking = ask(setup, 'second', kind);
      await connection.take(bytes);
      connection.cut(how);
      const next = await asking;
      if (!(next instanceof UpstreamSendError)) throw new Error('There is an answer.');
      expect(next.nothingSent).toBe(false);
      expect(setup.service.connections).toHaveLength(1);
    },
  );

  test('in the middle of its body, it is not sent again, and may have arrived', async () => {
    await using setup = await setUp(scheme);
    const connection = await openIdle(setup);
    const asking = ask(setup, 'second', kind);
    await connection.until('\r\n\r\n');
    await connection.take(3);
    connection.cut(how);
    const next = await asking;
    if (!(next instanceof UpstreamSendError)) throw new Error('There is an answer.');
    expect(next.nothingSent).toBe(false);
    expect(setup.service.connections).toHaveLength(1);
  });

  test('in the middle of its answer, the answer breaks and it is not sent again', async () => {
    await using setup = await setUp(scheme);
    const connection = await openIdle(setup);
    const asking = ask(setup, 'second', kind);
    await connection.until('/v1/second');
    connection.socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf');
    const next = await asking;
    connection.cut(how);
    await expect(readText(next)).rejects.toThrow();
    expect(setup.service.count('POST /v1/second ')).toBe(1);
    expect(setup.service.connections).toHaveLength(1);
  });
});

describe.each(['http', 'https'] as const)('By %s', (scheme) => {
  test('many idle connections that end in one moment cost no request an error', async () => {
    await using setup = await setUp(scheme);
    const marks = Array.from({ length: 8 }, (_, index) => `mark${index}`);
    const asking = marks.map((mark) => ask(setup, mark));
    const open = await Promise.all(marks.map(() => setup.service.nextConnection()));
    await Promise.all(open.map((connection) => connection.until('"}')));
    for (const connection of open) connection.send(ANSWER);
    await Promise.all(asking.map(async (one) => await readText(await one)));
    for (const [index, connection] of open.entries()) connection.cut(CUTS[index % 2] ?? 'FIN');
    await Promise.all(open.map(({ closed }) => closed));
    const again = marks.map((mark) => ask(setup, `again-${mark}`));
    await Promise.all(marks.map(() => answerOnNew(setup, '"}')));
    for (const one of again) expect(await readText(await one)).toContain('fine');
    for (const mark of marks) expect(setup.service.count(`POST /v1/again-${mark} `)).toBe(1);
  });
});
