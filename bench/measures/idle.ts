import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { type CommandProcess, commandKind, startCommand } from '../command-process.ts';
import { ANSWER_BODY, REQUEST_BODY } from '../data/exchange.ts';
import { type Measure, Rows } from '../measure.ts';
import type { ByTarget } from '../rounds.ts';
import { openTestBed } from '../test-bed.ts';

const Counts = z.object({ complete: z.number(), aborted: z.number() });

/** Measures the command while nothing happens: its memory and its wake-ups after the start, and its memory after a load has ended. */
export const measureIdle: Measure = async ({ scale: { idle: scale } }) => {
  const { connections, seconds, events, everyMs } = scale.load;
  await using testBed = await openTestBed({
    service: 'streaming',
    targets: ['direct'],
    profileDir: null,
  });
  await using command = await startCommand(testBed.targets[0]?.url ?? '');
  await wait(scale.afterStartMs);
  const atStart = await command.memory();
  const wakeUps = await countWakeUpsPerSecond(command, scale.watchMs);
  const exchange = { body: REQUEST_BODY, expected: ANSWER_BODY };
  const plan = { ...exchange, target: command.target, connections, seconds, events, everyMs };
  const { complete, aborted } = await testBed.caller.call('mixed', plan, Counts);
  await wait(scale.afterLoadMs);
  const afterLoad = await command.memory();
  const recorded = await command.stopAndCount();
  // A client may abort a stream whose last bytes have been sent to it already. That one is recorded as successful, too.
  if (recorded < complete || recorded > complete + aborted) {
    throw new Error(`The history has ${recorded} of ${complete} successful exchanges.`);
  }
  const idle = `idle, ${scale.afterStartMs / 1000} s after the start`;
  return new Rows('idle')
    .add(['memory', `${idle}: memory (${commandKind()})`], 'MB', {
      values: toFigures(atStart, 1e6),
      goal: { atMost: 90 },
    })
    .add(['wake-ups', 'wake-ups of all threads per second'], '', { values: toFigures(wakeUps, 1) })
    .add(['after-load', `memory ${scale.afterLoadMs / 1000} s after ${seconds} s of load`], 'MB', {
      values: toFigures(afterLoad, 1e6),
      goal: { atMost: 150 },
    })
    .add(['load', 'calls of that load per second'], '', {
      values: { gateway: (complete + aborted) / seconds },
    }).rows;
};

async function countWakeUpsPerSecond(
  command: CommandProcess,
  watchMs: number,
): Promise<number | null> {
  const [before, startedAt] = [await command.wakeUps(), performance.now()];
  await wait(watchMs);
  const after = await command.wakeUps();
  if (before === null || after === null) return null;
  return (after - before) / ((performance.now() - startedAt) / 1000);
}

function toFigures(value: number | null, unit: number): ByTarget {
  return value === null ? {} : { gateway: value / unit };
}
