import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { Bodies } from '../../../gateway/bodies/bodies.ts';
import { expectWhole } from './expect-whole.ts';
import { KILL_POINT, type KillPoint } from './kill-at.ts';
import { makeTurn, toId, toPlace } from './turns.ts';

/** What a process reported before its end. */
export interface Reported {
  /** The number of exchanges that were certainly stored. */
  stored: number;
  /** Those before this place may be pruned, all but the pinned one. */
  pruned: number;
  /** Whether it came to its end. */
  hasEnded: boolean;
  readonly deleting: number[][];
}

interface Message {
  readonly stored?: number;
  readonly deleting?: number[];
  /** Infinity is `null` in JSON. */
  readonly pruning?: number | null;
  readonly ended?: boolean;
}

/** A folder in which a process stores the bodies of agents until it is killed. */
export interface KilledFolder extends AsyncDisposable {
  /** Runs the process until it is killed, or to its end. */
  run(point: KillPoint | null): Promise<Reported>;
  /** Checks the file, and that what was stored and not deleted is there to the byte. Returns the places of its exchanges. */
  expectAgreement(reported: Reported): number[];
  /** Starts again as the next process does. Returns the places of the exchanges that are there then. */
  startAgain(): Promise<number[]>;
  /** Lists those of these exchanges that the history has. */
  listKnown(places: readonly number[]): Promise<number[]>;
}

export async function openKilledFolder(): Promise<KilledFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-killed-'));
  const file = join(folder, 'bodies.db');
  const history = join(folder, 'history');
  await writeFile(history, '');
  const readKnown = async () => new Set((await readFile(history, 'utf8')).split('\n'));
  return {
    run: (point) => runProcess({ file, history, point }),
    expectAgreement: (reported) => expectAgreement(file, reported),
    startAgain: async () => {
      const known = await readKnown();
      const bodies = new Bodies({
        file,
        log: () => undefined,
        secrets: () => ({ serviceKeys: [], localKeys: [] }),
        limits: () => ({ before: 0, bytes: 2 ** 30, none: false, clients: [] }),
        isKept: () => true,
        findKnown: (ids) => Promise.resolve(ids.filter((id) => known.has(id))),
        findPinned: () => Promise.resolve([]),
        onSteps: () => undefined,
        onRecognised: () => Promise.resolve(),
      });
      await bodies.listRuns({ filter: {}, limit: 1, before: null });
      await bodies.close();
      return existsSync(file) ? [...expectWhole(file).keys()].map(toPlace) : [];
    },
    listKnown: async (places) => {
      const known = await readKnown();
      return places.filter((place) => known.has(toId(place)));
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

interface Run {
  readonly file: string;
  readonly history: string;
  readonly point: KillPoint | null;
}

async function runProcess({ file, history, point }: Run): Promise<Reported> {
  const child = fork(join(import.meta.dirname, 'bodies-process.ts'), [file, history], {
    execPath: process.execPath,
    execArgv: ['--import', join(import.meta.dirname, 'kill-at.ts')],
    env: { ...process.env, ...(point === null ? {} : { [KILL_POINT]: JSON.stringify(point) }) },
  });
  const reported: Reported = { stored: 0, pruned: 0, hasEnded: false, deleting: [] };
  child.on('message', ({ stored, deleting, pruning, ended }: Message) => {
    reported.stored = stored ?? reported.stored;
    if (deleting !== undefined) reported.deleting.push(deleting);
    if (pruning !== undefined) reported.pruned = pruning ?? Number.POSITIVE_INFINITY;
    reported.hasEnded ||= ended === true;
  });
  const [code, signal]: unknown[] = await once(child, 'exit');
  expect([code, signal]).toEqual(reported.hasEnded ? [0, null] : [null, 'SIGKILL']);
  return reported;
}

function expectAgreement(file: string, { stored, pruned, deleting }: Reported): number[] {
  if (!existsSync(file)) return [];
  const whole = expectWhole(file);
  for (const [id, { sent, returned }] of whole) {
    expect({ sent: sent?.text, returned: returned?.text }).toEqual(makeTurn(toPlace(id)));
  }
  const kept = [...whole.keys()].map(toPlace);
  const deleted = deleting.flat();
  const missing = Array.from({ length: stored }, (_, place) => place).filter(
    (place) => !kept.includes(place) && !deleted.includes(place),
  );
  if (pruned !== Number.POSITIVE_INFINITY)
    expect(missing.filter((place) => place === 0 || place >= pruned)).toEqual([]);
  return kept;
}
