import { z } from 'zod';
import type { Door } from '../door.ts';
import { ANSWER_BODY, REQUEST_BODY } from '../exchange.ts';
import { type GatewayLook, type Lineup, openLineup } from '../lineup.ts';
import { type Measure, Rows } from '../measure.ts';
import { Figures, rotated } from '../rounds.ts';
import { hasWrk, runWrk } from '../wrk.ts';

/** As many requests of 1 KB as go through on a few connections, with what that does to the gateway's history and event loop. */
export const measureThroughput: Measure = async ({ scale, profileDir }) => {
  const { connections, warmUp, seconds } = scale.throughput;
  await using lineup = await openLineup({
    service: 'instant',
    doors: ['direct', 'gateway', 'http-proxy', 'nginx'],
    profileDir,
  });
  const load = loader(lineup, connections);
  const rates = new Figures();
  const costs = new Figures();
  let answered = 0;
  for (const door of warmUp === 0 ? [] : lineup.doors) await load(door, warmUp);
  for (let round = 0; round < scale.rounds; round += 1) {
    for (const door of rotated(lineup.doors, round)) {
      const before = await lineup.processorTime(door.name);
      const { requests, perSecond } = await load(door, seconds);
      const after = await lineup.processorTime(door.name);
      rates.add(door.name, perSecond);
      if (before !== null && after !== null) costs.add(door.name, (after - before) / requests);
      if (door.name === 'gateway') answered += requests;
    }
  }
  const look = await lineup.lookAtGateway();
  const gateway = { kept: keptPercent(look, answered), loop: look.loopDelayP99 };
  const label = `1 KB chat, ${connections} connections`;
  return new Rows('throughput')
    .add(['rate', label], 'req/s', { values: rates.medians })
    .add(['to-direct', 'times direct'], '×', { values: rates.ratiosTo('direct') })
    .add(['to-http-proxy', 'times http-proxy'], '×', {
      values: rates.ratiosTo('http-proxy'),
      goal: { atLeast: 1.3 },
    })
    .add(['cost', 'processor time for each'], 'µs', { values: costs.medians })
    .add(['history', 'exchanges kept in the history'], '%', { values: { gateway: gateway.kept } })
    .add(['loop', 'event-loop delay, p99'], 'ms', { values: { gateway: gateway.loop } }).rows;
};

const Counted = z.object({ requests: z.number(), perSecond: z.number() });
type Load = (door: Door, seconds: number) => Promise<z.infer<typeof Counted>>;

function loader({ caller }: Lineup, connections: number): Load {
  const exchange = { body: REQUEST_BODY, expected: ANSWER_BODY, connections };
  if (hasWrk()) return async (door, seconds) => await runWrk({ ...exchange, door, seconds });
  return async (door, seconds) =>
    await caller.ask('hurried', { ...exchange, door, seconds }, Counted);
}

function keptPercent({ recorded, dropped }: GatewayLook, answered: number): number {
  if (recorded + dropped < answered) {
    throw new Error(`The history knows of ${recorded + dropped} of ${answered} exchanges.`);
  }
  return (100 * recorded) / (recorded + dropped);
}
