import { appendFileSync, readFileSync } from 'node:fs';
import { Bodies } from '../../../gateway/bodies/bodies.ts';
import type { BodyLimits } from '../../../gateway/bodies/protocol.ts';
import { AGENTS, keepTurn, toId } from './turns.ts';

/**
 * Stores the exchanges of agents, deletes some, and prunes, until it is killed or done. Writes the ids of those that are in the
 * history to a file, after their bodies, and tells what is certainly stored and what it deletes.
 */
const [file = '', history = ''] = process.argv.slice(2);
const ROUND = 4 * AGENTS;

let limits: BodyLimits = { before: 0, bytes: 2 ** 30, none: false, clients: [] };
const pinned = [toId(0)];
const bodies = new Bodies({
  file,
  log: (level, message, fields) =>
    process.stderr.write(`${level} ${message} ${JSON.stringify(fields)}\n`),
  secrets: () => ({ serviceKeys: [], localKeys: [] }),
  limits: () => limits,
  isKept: () => true,
  findKnown: (ids) => {
    const known = new Set(readFileSync(history, 'utf8').split('\n'));
    return Promise.resolve(ids.filter((id) => known.has(id)));
  },
  findPinned: () => Promise.resolve(pinned),
  onSteps: () => undefined,
  onRecognised: () => Promise.resolve(),
});
const tell = (reported: object): void => void process.send?.(reported);

let next = 0;
async function keepRounds(count: number): Promise<void> {
  for (const end = next + count * ROUND; next < end;) {
    const first = next;
    for (; next < first + ROUND; next += 1) keepTurn(bodies, next);
    await bodies.flush();
    tell({ stored: next });
    const ids = Array.from({ length: ROUND }, (_, at) => `${toId(first + at)}\n`);
    appendFileSync(history, ids.join(''));
    await bodies.listRuns({ filter: {}, limit: 10, before: null });
  }
}

async function deletePlaces(places: readonly number[]): Promise<void> {
  tell({ deleting: places });
  await bodies.delete(places.map(toId));
}

async function prune(changed: Partial<BodyLimits>): Promise<void> {
  tell({ pruning: changed.before ?? Number.POSITIVE_INFINITY });
  limits = { ...limits, ...changed };
  await bodies.prune();
}

await keepRounds(3);
await bodies.pin(pinned, true);
// From the middle of each run, so that the rest is compressed anew, and two deletions at once.
await Promise.all([deletePlaces([3, 4, 5, 9, 10, 11]), deletePlaces([15, 16, 17, 20, 9])]);
await keepRounds(2);
await prune({ before: 25 });
await keepRounds(1);
const { stored } = await bodies.size();
// While others come.
await Promise.all([prune({ bytes: Math.round(0.8 * stored) }), keepRounds(1)]);
await bodies.close();
tell({ ended: true });
process.disconnect();
