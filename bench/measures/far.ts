import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'undici';
import { z } from 'zod';
import { callOnce } from '../calls/in-turn.ts';
import { startChild } from '../child.ts';
import { type CommandProcess, startCommand } from '../command-process.ts';
import { ANSWER_BODY, REQUEST_BODY, SERVICE_KEY } from '../data/exchange.ts';
import { type FarService, openFarService } from '../far-service.ts';
import { type Measure, Rows } from '../measure.ts';
import { Figures } from '../rounds.ts';
import type { Scale } from '../scale.ts';
import type { Target } from '../target.ts';

const GOAL = { atMost: 0.4 };

/** The states of the gateway in which a new client calls it. */
const STATES = ['first', 'warm', 'silent'] as const;
type State = (typeof STATES)[number];

/** One gateway in front of the service at one distance. */
interface Place {
  readonly direct: Target;
  readonly command: CommandProcess;
  readonly figures: Readonly<Record<State, Figures>>;
  lastCallAt: number;
}

/**
 * Measures the time to the first byte of an answer from a service that is far away, for a new client process each time: directly and
 * through the gateway. Each gateway is measured in all states, and all of them are silent at the same time.
 */
export const measureFar: Measure = async ({ scale: { far: scale } }) => {
  await using service = await openFarService();
  await using commands = new AsyncDisposableStack();
  const all = new Map<number, Place['figures']>();
  const places: Place[] = [];
  for (const roundTripMs of scale.roundTripsMs) {
    const url = await service.openAddress(roundTripMs);
    const figures = { first: new Figures(), warm: new Figures(), silent: new Figures() };
    all.set(roundTripMs, figures);
    for (let time = 0; time < scale.times; time += 1) {
      const command = await startFarCommand(service, url, scale.afterStartMs);
      commands.use(command);
      const direct: Target = { name: 'direct', url, key: SERVICE_KEY };
      const place: Place = { direct, command, figures, lastCallAt: 0 };
      places.push(place);
      await measureState(service, place, 'first');
      await warmUp(command.target, scale.warmUp);
      await measureState(service, place, 'warm');
    }
  }
  for (const place of places) {
    await wait(Math.max(0, place.lastCallAt + scale.silenceMs - performance.now()));
    await measureState(service, place, 'silent');
  }
  return toRows(all, scale);
};

/** Starts the command and waits until it has run for `afterStartMs`. */
async function startFarCommand(
  service: FarService,
  url: string,
  afterStartMs: number,
): Promise<CommandProcess> {
  let startedAt = Number.NaN;
  const command = await startCommand(url, async (folder) => {
    await service.fillFolder(folder, url);
    startedAt = performance.now();
  });
  await wait(Math.max(0, startedAt + afterStartMs - performance.now()));
  return command;
}

/** Sends requests that are not counted, one at a time. */
async function warmUp(target: Target, times: number): Promise<void> {
  const client = new Client(target.url);
  for (let time = 0; time < times; time += 1) {
    await callOnce(client, target, { body: REQUEST_BODY, expected: ANSWER_BODY });
  }
  await client.destroy();
}

/** Adds the time through the gateway in this state, and that of a direct call before it. */
async function measureState(service: FarService, place: Place, state: State): Promise<void> {
  for (const target of [place.direct, place.command.target]) {
    place.figures[state].add(target.name, await timeFirstByte(target, service));
  }
  place.lastCallAt = performance.now();
}

async function timeFirstByte(target: Target, { ca, nearUrl }: FarService): Promise<number> {
  await using caller = startChild(new URL('../processes/far-caller.ts', import.meta.url));
  const near = { url: nearUrl, key: SERVICE_KEY };
  const call = { target, near, ca, body: REQUEST_BODY, expected: ANSWER_BODY };
  return await caller.call('first-byte', call, z.number());
}

function toRows(all: ReadonlyMap<number, Place['figures']>, scale: Scale['far']) {
  const labels: Record<State, string> = {
    first: `the first request, ${scale.afterStartMs / 1000} s after the start`,
    warm: `after ${scale.warmUp} more requests`,
    silent: `after ${scale.silenceMs / 1000} s without a request`,
  };
  const rows = new Rows('far');
  for (const [roundTripMs, figures] of all) {
    for (const state of STATES) {
      const { medians } = figures[state];
      checkDistance(medians.direct, roundTripMs);
      const label = `${roundTripMs} ms away, time to first byte: ${labels[state]}`;
      rows
        .add([`${roundTripMs}.${state}`, label], 'ms', { values: medians })
        .add([`${roundTripMs}.${state}.ratio`, 'times direct'], '×', {
          values: figures[state].ratiosTo('direct'),
          goal: GOAL,
        });
    }
  }
  return rows.rows;
}

/** Throws unless a direct call costs three round trips: connecting, TLS 1.3 and the request. */
function checkDistance(direct: number | undefined, roundTripMs: number): void {
  if (direct !== undefined && direct >= 2.9 * roundTripMs) return;
  throw new Error(`A direct call took ${direct} ms, less than three times ${roundTripMs} ms.`);
}
