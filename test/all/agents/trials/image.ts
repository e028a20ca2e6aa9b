import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentBed } from '../agent-bed.ts';
import { Observation, type Outcome } from '../outcome.ts';
import type { AgentProgram } from '../program.ts';
import { FINAL_TEXT } from '../script.ts';

const TIME_LIMIT_MS = 60_000;
/** A PNG of one pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Shows an image to a program; `null` for one that takes none without a terminal. It must reach the service. */
export async function tryImage({ image }: AgentProgram, bed: AgentBed): Promise<Outcome | null> {
  if (typeof image === 'string') return null;
  const observation = new Observation();
  await bed.resetTask();
  await writeFile(join(bed.task.workspace, 'door.png'), Buffer.from(PNG, 'base64'));
  await bed.play(() => [{ answer: { text: FINAL_TEXT }, repeat: true }]);
  const args = image('Look at the door.', 'door.png');
  const end = await bed.run({ arguments: args, timeLimitMs: TIME_LIMIT_MS });
  observation.expect('it shows the answer', end.shown.includes(FINAL_TEXT));
  const bodies = await Promise.all(bed.sandbox.requests.map(async ({ body }) => await body));
  // It may be encoded again.
  const hasImage = bodies.some((body) =>
    /iVBORw0KGgo|data:image\/|"image\//u.test(body.toString()),
  );
  observation.expect('the image reaches the service', hasImage);
  return observation.toOutcomeOf(end.shown);
}
