import type { FixtureChunk, RunDetail, RunStep } from '../../../shared/run/run.ts';
import { UserError } from '../../errors.ts';
import type { RecordedStep } from './record-step.ts';

/** The most that the sandbox accepts. */
const MAX_BYTES = 64 * 2 ** 20;
/** Bytes for the models and what is around the steps. */
const OTHER_BYTES = 2 ** 20;
const MAX_MODELS = 1_000;

/**
 * Writes the steps of a run as a fixture for the sandbox, in the order in which they began. Steps whose response is not kept whole are
 * skipped. @throws UserError when no step is left, or the fixture becomes too large
 */
export async function* writeFixture(
  { sequences, moreSteps }: RunDetail,
  readStep: (step: RunStep) => Promise<RecordedStep | null>,
): AsyncGenerator<FixtureChunk, void, void> {
  const all = sequences
    .flatMap(({ steps }) => steps)
    .toSorted((one, other) => one.startedAt - other.startedAt);
  const models = new Set<string>();
  let bytes = 0;
  let [steps, skipped, masked] = [0, moreSteps, 0];
  for (const step of all) {
    const recorded = await readStep(step);
    if (recorded === null) {
      skipped += 1;
      continue;
    }
    bytes += Buffer.byteLength(recorded.json);
    if (bytes > MAX_BYTES - OTHER_BYTES) {
      throw new UserError(
        'The responses of this run are larger than 64 MiB, the most of a fixture.',
      );
    }
    for (const model of recorded.models) if (models.size < MAX_MODELS) models.add(model);
    const before = steps === 0 ? '{\n"format": "gatehouse-fixture-1",\n"steps": [\n' : ',\n';
    steps += 1;
    masked += recorded.masked;
    yield { text: before + recorded.json, steps, skipped, masked };
  }
  if (steps === 0) {
    throw new UserError('No response of this run is kept whole, so there is nothing to play.');
  }
  const text = `\n],\n"models": ${JSON.stringify([...models])}\n}\n`;
  yield { text, steps, skipped, masked };
}
