import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { startCommand } from '../command-process.ts';
import { ANSWER_BODY, chatBody, MAX_INSTANT_BYTES, REQUEST_BODY } from '../data/exchange.ts';
import { fillHistory, openHistoryFolder } from '../data/full-history.ts';
import { type Measure, Rows } from '../measure.ts';
import { Figures, rotate } from '../rounds.ts';
import type { Scale } from '../scale.ts';
import { median, quantile } from '../statistics.ts';
import { openTestBed } from '../test-bed.ts';

const PAGE = 100;

/** Measures how figures grow with the number of streams, the size of a prompt and the rows of the history. The plots show them. */
export const measureScaling: Measure = async ({ scale: { scaling: scale } }) => {
  const rows = new Rows('scaling');
  await measureStreams(rows, scale);
  await measureBodies(rows, scale);
  for (const count of scale.historyRows) await measureFirstPage(rows, count, scale.times);
  return rows.rows;
};

async function measureStreams(rows: Rows, scale: Scale['scaling']): Promise<void> {
  const { events, everyMs, spreadMs, rounds } = scale;
  await using testBed = await openTestBed({
    service: 'streaming',
    targets: ['direct', 'http-proxy'],
    profileDir: null,
  });
  await using command = await startCommand(testBed.targets[0]?.url ?? '');
  const targets = [...testBed.targets, command.target];
  for (const target of targets) {
    await testBed.caller.call('streamed', { ...scale.warmUp, target, spreadMs: 0 }, z.unknown());
  }
  // Ascending, so that the peak memory is that of the latest number.
  for (const streams of scale.streams) {
    const p50 = new Figures();
    for (let round = 0; round < rounds; round += 1) {
      for (const target of rotate(targets, round)) {
        const plan = { target, streams, events, everyMs, spreadMs };
        const delays = await testBed.caller.call('streamed', plan, z.instanceof(Float64Array));
        p50.add(target.name, quantile(delays, 0.5));
      }
    }
    const peak = await command.peakMemory();
    rows
      .add([`streams.${streams}`, `concurrent streams, ${streams}: delay, p50`], 'ms', {
        values: p50.medians,
      })
      .add([`memory.${streams}`, `concurrent streams, ${streams}: peak memory`], 'MB', {
        values: peak === null ? {} : { gateway: peak / 1e6 },
      });
  }
}

async function measureBodies(rows: Rows, scale: Scale['scaling']): Promise<void> {
  const { bodyBytes, times } = scale;
  await using testBed = await openTestBed({
    service: 'streaming',
    targets: ['direct', 'gateway', 'http-proxy', 'nginx'],
    profileDir: null,
  });
  const shape = z.array(z.array(z.number()));
  const small = { targets: testBed.targets, body: REQUEST_BODY, expected: ANSWER_BODY };
  await testBed.caller.call('paired', { ...small, times: scale.warmUp.events }, shape);
  for (const bytes of bodyBytes) {
    const body = chatBody(bytes);
    const summary = JSON.stringify({ bytes: body.length, crc32: crc32(body) });
    const expected = bytes > MAX_INSTANT_BYTES ? summary : ANSWER_BODY;
    const plan = { targets: testBed.targets, body, expected };
    await testBed.caller.call('paired', { ...plan, times: 1 }, shape);
    const durations = await testBed.caller.call('paired', { ...plan, times }, shape);
    const values = Object.fromEntries(
      testBed.targets.slice(1).map(({ name }, place) => {
        const added = durations[place + 1]?.map(
          (time, turn) => time - (durations[0]?.[turn] ?? Number.NaN),
        );
        return [name, median(added ?? [])];
      }),
    );
    rows.add([`body.${bytes}`, `prompt of ${bytes / 1024} KiB: added over direct, p50`], 'ms', {
      values,
    });
  }
}

async function measureFirstPage(rows: Rows, count: number, times: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'));
  const now = Date.now();
  const { history, close } = await openHistoryFolder(folder, now);
  try {
    await fillHistory(history, { count, end: now });
    const durations: number[] = [];
    // The first half warms up. One after the other, so that each is measured alone.
    for (let time = 0; time < 2 * times; time += 1) {
      const start = performance.now();
      await history.page({ filter: {}, limit: PAGE });
      if (time >= times) durations.push(performance.now() - start);
    }
    rows.add([`history.${count}`, `history of ${count} exchanges: first page`], 'ms', {
      values: { gateway: median(durations) },
    });
  } finally {
    await close();
    await rm(folder, { recursive: true, force: true });
  }
}
