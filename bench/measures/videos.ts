import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { VideoJob } from '../../shared/video/video.ts';
import { type Child, startChild } from '../child.ts';
import { openFullQueue } from '../data/full-queue.ts';
import { type Measure, Rows } from '../measure.ts';
import type { ByTarget } from '../rounds.ts';
import type { Scale } from '../scale.ts';
import { median } from '../statistics.ts';

const LIST_MS = 50;
const PAGE = 100;
const GROWTH_MB = 32;
const IDLE_MS_PER_S = 1;
const JOBS = 100;
/** A poll interval that is longer than the measurement of the idle engine. */
const NEVER_MS = 3_600_000;

/** Measures the list of very many videos, an idle engine with many rendering videos, and a very large video. */
export const measureVideos: Measure = async ({ scale: { videos: scale } }) => {
  const rows = new Rows('videos');
  await measureList(rows, scale);
  await measureIdle(rows, scale);
  await measureFilm(rows, scale);
  return rows.rows;
};

async function measureList(rows: Rows, { jobs, times }: Scale['videos']): Promise<void> {
  await using queue = await openFullQueue(jobs);
  for (const { name, label, run } of queue.queries(PAGE)) {
    const durations: number[] = [];
    for (let time = 0; time < times; time += 1) {
      const start = performance.now();
      // One after the other, so that each is measured alone.
      await run();
      durations.push(performance.now() - start);
    }
    const values = { gateway: median(durations) };
    rows.add([name, label], 'ms', { values, goal: { atMost: LIST_MS } });
  }
}

interface VideoTestBed extends AsyncDisposable {
  readonly engine: Child;
  readonly service: Child;
}

/** An engine and a service for videos, each in its own process. */
async function openVideoTestBed(pollMs: number): Promise<VideoTestBed> {
  await using opening = new AsyncDisposableStack();
  const start = (name: string) =>
    opening.use(startChild(new URL(`../processes/${name}.ts`, import.meta.url)));
  const service = start('video-service');
  const { port } = await service.call('open', null, z.object({ port: z.number() }));
  const engine = start('video-engine');
  await engine.call('open', { baseUrl: `http://127.0.0.1:${port}`, pollMs }, z.null());
  const resources = opening.move();
  return { engine, service, [Symbol.asyncDispose]: async () => await resources.disposeAsync() };
}

async function measureIdle(rows: Rows, scale: Scale['videos']): Promise<void> {
  const prompts = Array.from({ length: JOBS }, () => 'A cat looks at the sea.');
  const without = await measureIdleTime([], { ...scale, pollMs: NEVER_MS });
  const silent = await measureIdleTime(prompts, { ...scale, pollMs: NEVER_MS });
  const polling = await measureIdleTime(prompts, scale);
  if (silent.polls > 0) throw new Error('The engine polled while it had nothing to do.');
  if (polling.polls === 0) throw new Error('The engine did not poll at all.');
  const label = `${JOBS} videos rendering: processor time between polls, added`;
  rows
    .add(['idle', label], 'ms/s', {
      ...toFigures(silent.msPerSecond - without.msPerSecond),
      goal: { atMost: IDLE_MS_PER_S },
    })
    .add(['idle.without', 'without any video'], 'ms/s', toFigures(without.msPerSecond))
    .add(['idle.asking', 'while they are polled'], 'ms/s', toFigures(polling.msPerSecond))
    .add(['idle.questions', 'polls per second'], '', toFigures(polling.polls / polling.seconds));
}

async function measureIdleTime(
  prompts: readonly string[],
  { pollMs, settlingMs, idleMs }: Scale['videos'],
) {
  await using testBed = await openVideoTestBed(pollMs);
  const { engine, service } = testBed;
  await engine.call('add', prompts, z.null());
  if (prompts.length > 0) {
    await engine.call('until', { state: 'rendering', count: prompts.length }, VideoJob);
  }
  // Waits until recorded exchanges are written.
  await wait(settlingMs);
  const polls = () => service.call('polls', null, z.number());
  const used = () => engine.call('processor-time', null, z.number());
  const [pollsBefore, before, start] = [await polls(), await used(), performance.now()];
  await wait(idleMs);
  const seconds = (performance.now() - start) / 1000;
  const msPerSecond = ((await used()) - before) / 1000 / seconds;
  return { msPerSecond, seconds, polls: (await polls()) - pollsBefore };
}

async function measureFilm(rows: Rows, scale: Scale['videos']): Promise<void> {
  const { smallFilmBytes, filmBytes, pollMs } = scale;
  const { bavail, bsize } = await statfs(tmpdir());
  if (bavail * bsize < (smallFilmBytes + filmBytes) * 1.2) {
    throw new Error(`A film of ${filmBytes} bytes does not fit into ${tmpdir()}.`);
  }
  await using testBed = await openVideoTestBed(pollMs);
  const { engine } = testBed;
  await engine.call('watch-memory', null, z.null());
  await fetchFilm(testBed, smallFilmBytes, 1);
  const before = await engine.call('peak-memory', null, z.number());
  const seconds = await fetchFilm(testBed, filmBytes, 2);
  const peak = await engine.call('peak-memory', null, z.number());
  const label = `a film of ${filmBytes / 2 ** 20} MiB: memory beyond that for one of ${smallFilmBytes / 2 ** 20} MiB`;
  rows
    .add(['film', label], 'MB', {
      ...toFigures((peak - before) / 1e6),
      goal: { atMost: GROWTH_MB },
    })
    .add(['film.small', 'peak memory for the small one'], 'MB', toFigures(before / 1e6))
    .add(['film.rate', 'saved per second'], 'MB', toFigures(filmBytes / seconds / 1e6));
}

/** Orders a video and resolves to the seconds until it is saved. Rejects when the file differs from what the service sent. */
async function fetchFilm({ engine, service }: VideoTestBed, bytes: number, count: number) {
  await engine.call('add', [String(bytes)], z.null());
  const start = performance.now();
  const { file } = await engine.call('until', { state: 'done', count }, VideoJob);
  const seconds = (performance.now() - start) / 1000;
  const sent = await service.call('sha256', null, z.string());
  if (file?.bytes !== bytes || file.sha256 !== sent) {
    throw new Error(`The video of ${bytes} bytes was saved as ${JSON.stringify(file)}.`);
  }
  return seconds;
}

function toFigures(value: number): { readonly values: ByTarget } {
  return { values: { gateway: value } };
}
