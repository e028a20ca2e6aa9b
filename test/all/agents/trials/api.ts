import { parseFixture } from '../../../../sandbox/fixture/parse-fixture.ts';
import type { RunDetail } from '../../../../shared/run/run.ts';
import type { AgentBed } from '../agent-bed.ts';
import { openControl } from '../control.ts';
import { Observation, type Outcome } from '../outcome.ts';
import { checkHar } from './command-line.ts';
import { findSteps, REPLAY_MODEL } from './run-steps.ts';

/** Reads, searches, sends again and exports the run of a program with the calls of the window. */
export async function tryCalls(bed: AgentBed, run: RunDetail): Promise<Outcome> {
  const observation = new Observation();
  const { runId, all, second, last } = findSteps(run);
  const { history } = await openControl(bed.machine.dataDir);
  const detail = await history.run({ id: runId });
  observation.expect(
    '`history.run` equals what the command shows',
    JSON.stringify(detail.sequences) === JSON.stringify(run.sequences),
  );
  const { returned } = await history.bodies({ id: last });
  observation.expect('`history.bodies` has the answer', returned?.text.includes('data: ') === true);
  const place = await history.step({ id: second });
  observation.expect('`history.step` finds the run', place?.run === runId);
  const found = await collect(await history.searchBodies({ texts: [bed.task.before] }));
  const ids = found.flatMap((result) => result.ids);
  observation.expect('`history.searchBodies` finds the step', ids.includes(second));
  const query = { filter: {}, only: { kind: 'run', id: runId } } as const;
  const har = await collect(await history.export({ ...query, format: 'har' }));
  checkHar(observation, har.map(({ text }) => text).join(''), findSteps(run));
  const lines = await collect(await history.export({ ...query, format: 'jsonl' }));
  observation.expect('`history.export` has all', lines.at(-1)?.exchanges === all.length);
  const replay = { id: last, changed: { model: REPLAY_MODEL }, removed: [] };
  const ended = (await collect(await history.replay(replay))).at(-1);
  observation.expect(
    '`history.replay` gets an answer',
    ended?.kind === 'ended' && ended.response.status === 200 && !ended.response.isCut,
  );
  const fixture = await collect(await history.fixture({ id: runId }));
  const { steps } = parseFixture(fixture.map(({ text }) => text).join(''));
  observation.expect('`history.fixture` has every step', steps.length === all.length);
  observation.see('the same by the calls of the window');
  return observation.toOutcome();
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
