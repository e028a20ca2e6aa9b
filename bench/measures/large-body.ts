import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { chatBody } from '../data/exchange.ts';
import { openTestBed } from '../test-bed.ts';
import { type Measure, Rows } from '../measure.ts';
import { Figures } from '../rounds.ts';
import { quantile } from '../statistics.ts';

/** Measures requests of several megabytes, one at a time; the service verifies their checksum. */
export const measureLargeBody: Measure = async ({ scale, profileDir }) => {
  const { bytes, times } = scale.largeBody;
  await using testBed = await openTestBed({
    service: 'streaming',
    targets: ['direct', 'gateway', 'http-proxy', 'nginx'],
    profileDir,
  });
  const body = chatBody(bytes);
  const expected = JSON.stringify({ bytes: body.length, crc32: crc32(body) });
  const plan = { targets: testBed.targets, body, expected };
  const shape = z.array(z.array(z.number()));
  await testBed.caller.call('paired', { ...plan, times: 1 }, shape);
  const durations = await testBed.caller.call(
    'paired',
    { ...plan, times: times * scale.rounds },
    shape,
  );
  const total = new Figures();
  const added = new Figures();
  const direct = durations[0] ?? [];
  for (const [place, { name }] of testBed.targets.entries()) {
    const own = durations[place] ?? [];
    total.add(name, quantile(own, 0.5));
    if (name === 'direct') continue;
    const differences = own.map((time, turn) => time - (direct[turn] ?? Number.NaN));
    added.add(name, quantile(differences, 0.5));
  }
  const label = `${bytes / 1024 / 1024} MiB chat, one at a time: p50`;
  return new Rows('large-body')
    .add(['p50', label], 'ms', { values: total.medians })
    .add(['added', 'added over direct, p50'], 'ms', {
      values: added.medians,
      goal: { atMost: 12 },
    }).rows;
};
