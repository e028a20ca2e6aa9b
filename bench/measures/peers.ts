import { z } from 'zod';
import { ANSWER_BODY, REQUEST_BODY } from '../data/exchange.ts';
import { type Bench, type Measure, Rows } from '../measure.ts';
import { checkStream, readAnswer } from '../peers/check-peer.ts';
import { PEERS } from '../peers/peers.ts';
import { Figures, rotate } from '../rounds.ts';
import { quantile } from '../statistics.ts';
import type { Target } from '../target.ts';
import { openTestBed, type TestBed } from '../test-bed.ts';
import { createLoader, waitForRest } from './load-in-turn.ts';

/** Measures the same chat requests and streams through other proxies and gateways, in one run. */
export const measurePeers: Measure = async (bench) => {
  const rows = new Rows('peers');
  note('LiteLLM is not measured: its proxy is neither in npm nor in Debian.');
  await measureAnswers(rows, bench);
  await measureStreams(rows, bench);
  return rows.rows;
};

interface PeerTestBed extends AsyncDisposable {
  readonly testBed: TestBed;
  /** The usual targets, and the peers that could be started. */
  readonly targets: readonly Target[];
}

async function openPeers(
  service: 'instant' | 'streaming',
  check: (target: Target) => Promise<Target>,
): Promise<PeerTestBed> {
  await using opening = new AsyncDisposableStack();
  const testBed = opening.use(
    await openTestBed({
      service,
      targets: ['direct', 'gateway', 'http-proxy', 'nginx'],
      profileDir: null,
    }),
  );
  const targets = [...testBed.targets];
  for (const { name, start } of PEERS) {
    try {
      const peer = opening.use(await start(targets[0]?.url ?? ''));
      targets.push(await check(peer.target));
    } catch (error) {
      note(`${name} is not measured (${service}): ${String(error).split('\n', 1)[0]}`);
    }
  }
  const resources = opening.move();
  return {
    testBed,
    targets,
    [Symbol.asyncDispose]: async () => await resources.disposeAsync(),
  };
}

async function measureAnswers(rows: Rows, { scale }: Bench): Promise<void> {
  const { connections, seconds, warmUp } = scale.throughput;
  await using peers = await openPeers('instant', withAnswer);
  const { targets, testBed } = peers;
  const load = createLoader(testBed, connections);
  const [rates, p50, added] = [new Figures(), new Figures(), new Figures()];
  for (let round = 0; round < scale.peers.rounds; round += 1) {
    for (const target of rotate(targets, round)) {
      if (warmUp > 0) await load(target, warmUp);
      rates.add(target.name, (await load(target, seconds)).perSecond);
      await waitForRest(testBed, target);
    }
    const plan = { targets, body: REQUEST_BODY, expected: ANSWER_BODY, times: scale.latency.times };
    const durations = await testBed.caller.call('paired', plan, z.array(z.array(z.number())));
    for (const [place, { name }] of targets.entries()) {
      const own = durations[place] ?? [];
      const differences = own.map((time, turn) => time - (durations[0]?.[turn] ?? Number.NaN));
      p50.add(name, quantile(own, 0.5));
      if (name !== 'direct') added.add(name, quantile(differences, 0.5));
    }
  }
  rows
    .add(['rate', `1 KiB chat, ${connections} connections`], 'req/s', { values: rates.medians })
    .add(['to-http-proxy', 'times http-proxy'], '×', { values: rates.ratiosTo('http-proxy') })
    .add(['p50', '1 KiB chat, one at a time: p50'], 'ms', { values: p50.medians })
    .add(['added.p50', 'added over direct, p50'], 'ms', { values: added.medians });
}

/** Adds the answer of a peer that changes that of the service; all later ones must be the same, byte for byte. */
async function withAnswer(target: Target): Promise<Target> {
  const answer = await readAnswer(target);
  if (answer === ANSWER_BODY) {
    note(`${target.name}: every answer is compared byte for byte with that of the service.`);
    return target;
  }
  note(
    `${target.name} changes the answer: the text of the first one is compared with that of the service, and all others byte for byte with the first.`,
  );
  return { ...target, answer };
}

async function measureStreams(rows: Rows, { scale }: Bench): Promise<void> {
  const { streams, events, everyMs } = scale.streams;
  await using peers = await openPeers('streaming', async (target) => {
    await checkStream(target);
    return target;
  });
  const [p50, p99] = [new Figures(), new Figures()];
  const plan = { streams, events, everyMs, spreadMs: everyMs };
  for (let round = 0; round < scale.peers.rounds; round += 1) {
    for (const target of rotate(peers.targets, round)) {
      const { caller } = peers.testBed;
      const delays = await caller.call('streamed', { ...plan, target }, z.instanceof(Float64Array));
      p50.add(target.name, quantile(delays, 0.5));
      p99.add(target.name, quantile(delays, 0.99));
    }
  }
  const label = `${streams} streams, an event every ${everyMs} ms: delay, p50`;
  rows
    .add(['streams.p50', label], 'ms', { values: p50.medians })
    .add(['streams.p99', 'delay, p99'], 'ms', { values: p99.medians });
}

function note(text: string): void {
  process.stderr.write(`${text}\n`);
}
