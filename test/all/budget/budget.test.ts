import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { z } from 'zod';

/**
 * The work of one request in the gateway, counted and not timed. The limits are a few percent above what was counted when they were set.
 * When a change must add to them, raise the limit in the same commit and say in its body what the request gets for it; when a change
 * lowers what is counted, lower the limit.
 */
const MAX_PROMISES = 22;
const MAX_BYTES = 64_000;

const WARM_UP = 3_000;
const COUNTED = 500;
/** Both are counted so often, and the least counts: the compiler and timers allocate now and then, too. */
const COUNTS = 5;
/** Large enough for all that the counted requests allocate, so that nothing is freed meanwhile. */
const YOUNG_GENERATION = ['--min-semi-space-size=128', '--max-semi-space-size=128'];

const SERVICE_KEY = 'sk-budget-0123456789abcdef';
const CHAT = JSON.stringify({
  model: 'budget/model',
  messages: [{ role: 'user', content: 'Say it again. '.repeat(60) }],
});
const ANSWER = JSON.stringify({
  object: 'chat.completion',
  model: 'budget/model',
  choices: [{ message: { role: 'assistant', content: 'Again. '.repeat(100) } }],
  usage: { prompt_tokens: 212, completion_tokens: 204 },
});

/** A service that answers every request at once. */
async function openService() {
  const server = createServer((incoming, response) => {
    incoming.resume().on('end', () => {
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(ANSWER),
      });
      response.end(ANSWER);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const Reply = z.object({ value: z.unknown() });

/** A gateway in its own process; `call` asks it for a count. */
async function openCountedGateway(serviceUrl: string) {
  const module = new URL('./counted-gateway.ts', import.meta.url);
  const child = fork(module, [serviceUrl, SERVICE_KEY], {
    execArgv: ['--expose-gc', ...YOUNG_GENERATION],
  });
  const ended = once(child, 'exit');
  await once(child, 'message');
  const call = async <Shape extends z.ZodType>(kind: string, shape: Shape) => {
    child.send(kind);
    const [reply] = await once(child, 'message');
    return shape.parse(Reply.parse(reply).value);
  };
  return {
    call,
    [Symbol.asyncDispose]: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

test('a request creates no more promises and allocates no more bytes than its budget', async () => {
  await using service = await openService();
  await using gateway = await openCountedGateway(service.url);
  const { port, localKey } = await gateway.call(
    'open',
    z.object({ port: z.number(), localKey: z.string() }),
  );
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const chat = async (): Promise<void> => {
    const headers = { authorization: `Bearer ${localKey}`, 'content-type': 'application/json' };
    const target = { port, path: '/v1/chat/completions', method: 'POST', headers, agent };
    const sending = request({ host: '127.0.0.1', ...target }).end(CHAT);
    const [response] = await once(sending, 'response');
    expect(await text(response)).toBe(ANSWER);
  };
  const chats = async (count: number): Promise<void> => {
    for (let sent = 0; sent < count; sent += 1) await chat();
  };
  await chats(WARM_UP);
  const leastOf = async (start: string, stop: string): Promise<number> => {
    let least = Number.POSITIVE_INFINITY;
    for (let count = 0; count < COUNTS; count += 1) {
      await gateway.call(start, z.unknown());
      await chats(COUNTED);
      least = Math.min(least, (await gateway.call(stop, z.number())) / COUNTED);
    }
    return least;
  };
  const promises = await leastOf('startPromises', 'stopPromises');
  const bytes = await leastOf('startBytes', 'stopBytes');
  agent.destroy();
  const recorded = await gateway.call('recorded', z.number());
  expect(recorded).toBe(WARM_UP + 2 * COUNTS * COUNTED);
  // Less than this would mean that nothing was counted.
  expect(promises).toBeGreaterThan(1);
  expect(bytes).toBeGreaterThan(5_000);
  // Work beside the requests adds a fraction on a busy machine.
  expect(Math.floor(promises)).toBeLessThanOrEqual(MAX_PROMISES);
  expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
});
