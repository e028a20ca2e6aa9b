import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, createServer as createTcpServer, type Server } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Resvg } from '@resvg/resvg-js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { callSaturated, type SaturatedPlan } from './calls/saturated.ts';
import { callInTurn } from './calls/in-turn.ts';
import { pipeDelayed } from './delayed-pipe.ts';
import { readStream, sharedClock, StreamWriter } from './event-stream.ts';
import { roundTicks } from './plots/axis.ts';
import { formatLinePlot } from './plots/line-plot.ts';
import { Figures } from './rounds.ts';
import { median, quantile } from './statistics.ts';
import { hasWrk, runWrk } from './wrk.ts';

/** Starts a service whose tenth answer has one different byte. */
async function openLiar() {
  let answers = 0;
  const server = createServer((request, response) => {
    answers += 1;
    const body = answers === 10 ? '{"ok":False}' : '{"ok":false}';
    request.resume().on('end', () => response.end(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const target = { name: 'gateway', url: `http://127.0.0.1:${port}`, key: 'k' } as const;
  const plan: SaturatedPlan = {
    target,
    body: '{}',
    expected: '{"ok":false}',
    connections: 2,
    seconds: 1,
  };
  return {
    plan,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

test('one wrong byte in one answer of many fails a sequential run', async () => {
  await using liar = await openLiar();
  const { target, body, expected } = liar.plan;
  const run = callInTurn({ targets: [target], body, expected, times: 20 });
  await expect(run).rejects.toThrow('A wrong answer from gateway: 200');
});

test('one wrong byte in one answer of many fails a saturated run', async () => {
  await using liar = await openLiar();
  await expect(callSaturated(liar.plan)).rejects.toThrow('A wrong answer from gateway: 200');
});

test.runIf(hasWrk())('one wrong byte in one answer of many fails a run of wrk', async () => {
  await using liar = await openLiar();
  await expect(runWrk(liar.plan)).rejects.toThrow('gateway: 1 wrong and 0 broken of');
});

function writeStream(events: number): Buffer {
  const writer = new StreamWriter();
  const texts = Array.from({ length: events }, () => writer.next());
  return Buffer.from([...texts, writer.last()].join(''));
}

test('a stream split anywhere into chunks gives one delay for each event', () => {
  const events = 5;
  const complete = writeStream(events);
  const cuts = fc.uniqueArray(fc.integer({ min: 1, max: complete.length - 1 }), { maxLength: 20 });
  fc.assert(
    fc.property(cuts, (places) => {
      const edges = [0, ...places.toSorted((a, b) => a - b), complete.length];
      const at = sharedClock();
      const arrivals = edges
        .slice(1)
        .map((end, index) => ({ at, bytes: complete.subarray(edges[index], end) }));
      const delays = readStream(arrivals, events);
      expect(delays).toHaveLength(events);
      for (const delay of delays) expect(delay).toBeGreaterThanOrEqual(0);
    }),
  );
});

test('a stream with one wrong byte or without its end is rejected', () => {
  const complete = writeStream(3);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: complete.length - 1 }), (place) => {
      const changed = Buffer.from(complete);
      changed[place] = (changed[place] ?? 0) ^ 1;
      expect(() => readStream([{ at: 0, bytes: changed }], 3)).toThrow();
      expect(() => readStream([{ at: 0, bytes: complete.subarray(0, place) }], 3)).toThrow();
    }),
  );
});

async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

test('a delayed connection passes all bytes and its end in order, in both directions', async () => {
  const echo = createTcpServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
  const echoPort = await listen(echo);
  const proxy = createTcpServer({ allowHalfOpen: true }, (client) => {
    const service = connect({ port: echoPort, host: '127.0.0.1', allowHalfOpen: true });
    pipeDelayed(client, service, { eachMs: 3, firstMs: 10 });
    pipeDelayed(service, client, { eachMs: 2, firstMs: 0 });
  });
  const socket = connect({ port: await listen(proxy), host: '127.0.0.1', allowHalfOpen: true });
  const answer = buffer(socket);
  const sent = Array.from({ length: 300 }, (_, index) => Buffer.alloc(1 + index, index));
  for (const bytes of sent) {
    socket.write(bytes);
    await new Promise((resolve) => setImmediate(resolve));
  }
  socket.end();
  expect((await answer).equals(Buffer.concat(sent))).toBe(true);
  for (const server of [proxy, echo]) server.close();
});

const coordinate = fc.double({ min: 0.001, max: 1e9, noNaN: true });
const points = fc.array(fc.record({ x: coordinate, y: coordinate }), { minLength: 1 });
const scale = fc.constantFrom('linear' as const, 'log' as const);

test('every point of a plot lies between its first and last tick, and the plot is valid SVG', () => {
  fc.assert(
    fc.property(points, scale, scale, (all, x, y) => {
      const svg = formatLinePlot({
        title: 'a < b & c',
        x: { title: 'x', scale: x },
        y: { title: 'y', scale: y },
        lines: [{ label: 'one', points: all }],
      });
      const dots = [...svg.matchAll(/<circle cx="(?<x>[^"]+)" cy="(?<y>[^"]+)"/g)];
      expect(dots).toHaveLength(all.length);
      for (const { groups } of dots) {
        expect(Number(groups?.['x'])).toBeGreaterThanOrEqual(64);
        expect(Number(groups?.['x'])).toBeLessThanOrEqual(600);
        expect(Number(groups?.['y'])).toBeGreaterThanOrEqual(84);
        expect(Number(groups?.['y'])).toBeLessThanOrEqual(304);
      }
      expect(new Resvg(svg).width).toBe(640);
    }),
  );
});

test('ticks are round numbers around the values', () => {
  expect(roundTicks([3, 47], 'linear')).toEqual([0, 10, 20, 30, 40, 50]);
  expect(roundTicks([0.3], 'linear')).toEqual([0, 0.1, 0.2, 0.3]);
  expect(roundTicks([0.3, 24], 'log')).toEqual([0.2, 0.5, 1, 2, 5, 10, 20, 50]);
});

test('quantiles and medians are those of the sorted values', () => {
  expect(quantile([5, 1, 4, 2, 3], 0.5)).toBe(3);
  expect(
    quantile(
      Array.from({ length: 100 }, (_, index) => 100 - index),
      0.99,
    ),
  ).toBe(99);
  expect(median([4, 1, 2, 3])).toBe(2.5);
  expect(quantile([], 0.5)).toBeNaN();
});

test('targets are compared round by round', () => {
  const figures = new Figures();
  for (const value of [10, 20, 30]) figures.add('direct', value);
  for (const value of [15, 30, 15]) figures.add('gateway', value);
  expect(figures.over('direct')).toEqual({ gateway: 5 });
  expect(figures.ratiosTo('direct')).toEqual({ gateway: 1.5 });
  expect(figures.medians).toEqual({ direct: 20, gateway: 15 });
});
