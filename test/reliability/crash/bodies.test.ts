import { fork } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectWhole } from '../../kit/bodies/expect-whole.ts';
import { openKilledFolder } from '../../kit/bodies/killed-folder.ts';

const seed = Number(process.env['CRASH_SEED'] ?? randomInt(2 ** 31));
/** Statements that the process of the agents runs at least. */
const STATEMENTS = 900;

test(`killed at any statement, the bodies are whole, and after the next start there are none that the history lacks (CRASH_SEED=${seed})`, async () => {
  for (const time of fc.sample(fc.integer({ min: 1, max: STATEMENTS }), { numRuns: 25, seed })) {
    await using folder = await openKilledFolder();
    const reported = await folder.run({ text: '', time });
    expect(reported.hasEnded).toBe(false);
    const kept = folder.expectAgreement(reported);
    expect(await folder.startAgain()).toEqual(await folder.listKnown(kept));
  }
}, 600_000);

/** Messages of the process, after which it may be killed, and how often. */
const ROUNDS = 8;
const MOMENTS = fc.integer({ min: 1, max: 500 });
/** The latest stored exchanges, which no pruning for the size has deleted. */
const LATEST = 30;

interface Message {
  readonly asked?: string;
  readonly id?: string;
  readonly returned?: string;
  readonly stored?: readonly string[];
  readonly deleting?: string;
  readonly strays?: number;
}

/** What the processes reported so far. `asked`: digests of all requests. `returned`: those of responses, by the id of their exchange. */
interface Reported {
  readonly asked: Set<string>;
  readonly returned: Map<string, string>;
  readonly deleting: Set<string>;
  stored: readonly string[];
}

/** Serves agents, and is killed when its `moment`th message comes in. */
async function serveAndKill(dataDir: string, moment: number, reported: Reported): Promise<void> {
  const child = fork(join(import.meta.dirname, 'agents-process.ts'), [dataDir], {
    execPath: process.execPath,
    execArgv: [],
  });
  let messages = 0;
  const strays: number[] = [];
  child.on('message', (message: Message) => {
    if (message.asked !== undefined) reported.asked.add(message.asked);
    if (message.id !== undefined && message.returned !== undefined)
      reported.returned.set(message.id, message.returned);
    if (message.deleting !== undefined) reported.deleting.add(message.deleting);
    if (message.stored !== undefined) reported.stored = message.stored;
    if (message.strays !== undefined) strays.push(message.strays);
    messages += 1;
    if (messages === moment) child.kill('SIGKILL');
  });
  const [, signal]: unknown[] = await once(child, 'exit');
  expect(signal).toBe('SIGKILL');
  expect(strays).toEqual([0]);
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64');

function expectAgreement(dataDir: string, { asked, returned, deleting, stored }: Reported): number {
  const file = join(dataDir, 'bodies.db');
  if (!existsSync(file)) return 0;
  const whole = expectWhole(file);
  for (const [id, bodies] of whole) {
    // A refused request was not read.
    const request = bodies.received ?? bodies.sent;
    if (request !== null) expect(asked.has(digest(request.text))).toBe(true);
    const answer = returned.get(id);
    if (answer !== undefined) expect(digest(bodies.returned?.text ?? '')).toBe(answer);
  }
  const kept = new Set<string>(whole.keys());
  const latest = stored.filter((id) => !deleting.has(id)).slice(-LATEST);
  expect(latest.filter((id) => !kept.has(id))).toEqual([]);
  return whole.size;
}

test(`killed under the load of agents ${ROUNDS} times while it deletes and prunes, each body is that which passed (CRASH_SEED=${seed})`, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-crash-'));
  const reported: Reported = {
    asked: new Set(),
    returned: new Map(),
    deleting: new Set(),
    stored: [],
  };
  let kept = 0;
  for (const moment of fc.sample(MOMENTS, { numRuns: ROUNDS, seed })) {
    await serveAndKill(dataDir, moment, reported);
    kept = expectAgreement(dataDir, reported);
  }
  expect(kept).toBeGreaterThan(100);
  await serveAndKill(dataDir, 5, reported);
  await rm(dataDir, { recursive: true, force: true });
}, 600_000);
