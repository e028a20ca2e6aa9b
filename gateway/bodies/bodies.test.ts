import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, assert, beforeEach, expect, test } from 'vitest';
import { ExchangeId } from '../../shared/exchange/exchange.ts';
import { Bodies } from './bodies.ts';
import type { BodyLimits, Secrets } from './protocol.ts';

let folder: string;
let file: string;
let logged: string[];
let limits: BodyLimits | null;
let secrets: Secrets;
let known: ExchangeId[];
let pinned: ExchangeId[];
let opened: Bodies[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-bodies-'));
  file = join(folder, 'bodies.db');
  logged = [];
  limits = { before: 0, bytes: 2 ** 30, none: false, clients: [] };
  secrets = { serviceKeys: [], localKeys: [] };
  known = [];
  pinned = [];
  opened = [];
});
afterEach(async () => {
  for (const bodies of opened) await bodies.close();
  await rm(folder, { recursive: true });
});

function openBodies(): Bodies {
  const bodies = new Bodies({
    file,
    log: (level, message, facts) =>
      logged.push([level, message, ...Object.values(facts ?? {})].join(' ')),
    secrets: () => secrets,
    limits: () => limits,
    isKept: () => limits !== null,
    findKnown: (ids) => Promise.resolve(known.filter((id) => ids.includes(id))),
    findPinned: () => Promise.resolve(pinned),
    onSteps: () => undefined,
    onRecognised: () => Promise.resolve(),
  });
  opened.push(bodies);
  return bodies;
}

const toId = (place: number) => ExchangeId.parse(`ex-${place.toString(16).padStart(16, '0')}`);

function keep(bodies: Bodies, place: number, text: string) {
  const id = toId(place);
  const captured = bodies.capture(null);
  captured?.send(Buffer.from(text));
  if (captured !== null) bodies.keep(makeFacts(place), captured);
  known.push(id);
  return id;
}

function makeFacts(place: number) {
  return {
    id: toId(place),
    startedAt: place,
    openedAt: 0,
    clientId: 'c',
    conversation: null,
    run: null,
    sender: null,
    isSent: true,
    step: null,
  };
}

test('what was kept before a close is read after it', async () => {
  const before = openBodies();
  const id = keep(before, 1, 'one');
  await before.close();
  expect((await openBodies().read(id)).sent?.text).toBe('one');
});

test('what cannot be searched for secrets is not stored, but counted and logged', async () => {
  const bodies = openBodies();
  const before = keep(bodies, 1, 'one');
  await bodies.flush();
  // No key is `null`, so the search fails.
  secrets = { serviceKeys: JSON.parse('[null]'), localKeys: [] };
  const ids = [keep(bodies, 2, 'two'), keep(bodies, 3, 'three')];
  await bodies.flush();
  expect(bodies.dropped).toBe(2);
  expect(logged).toEqual([
    expect.stringMatching(/^error Requests and responses could not be stored\. .*null/u),
  ]);
  const captured = bodies.capture(null);
  assert(captured !== null);
  captured.send(Buffer.from('four'));
  await expect(bodies.readRunning(makeFacts(4), captured, true)).rejects.toThrow('null');
  captured.release();
  secrets = { serviceKeys: [], localKeys: [] };
  const states = await Promise.all(
    [before, ...ids].map(async (id) => (await bodies.read(id)).state),
  );
  expect(states).toEqual(['kept', 'absent', 'absent']);
});

test('bodies older than the limit are deleted, and everything when nothing is kept any more', async () => {
  const bodies = openBodies();
  const ids = [1, 2, 3].map((place) => keep(bodies, place, `text ${place}`));
  await bodies.flush();
  limits = { before: 3, bytes: 2 ** 30, none: false, clients: [] };
  await bodies.prune();
  const states = await Promise.all(ids.map(async (id) => (await bodies.read(id)).state));
  expect(states).toEqual(['absent', 'absent', 'kept']);
  limits = null;
  await bodies.prune();
  expect(await bodies.size()).toMatchObject({ exchanges: 0 });
  expect(bodies.capture(null)).toBe(null);
});

test('a body whose exchange is not in the history is deleted at the next start', async () => {
  const before = openBodies();
  const [first, second] = [keep(before, 1, 'one'), keep(before, 2, 'two')];
  await before.close();
  known = [first];
  const after = openBodies();
  expect((await after.read(first)).state).toBe('kept');
  expect((await after.read(second)).state).toBe('absent');
});

test('of many runs at once none stays whose exchange is not in the history', async () => {
  const before = openBodies();
  for (let place = 0; place < 400; place += 1) keep(before, place, `run ${place}`);
  await before.close();
  known = known.slice(0, 5);
  expect((await openBodies().size()).exchanges).toBe(5);
});

test('a damaged database is set aside, and bodies are kept again', async () => {
  await writeFile(file, 'this is no database, and long enough to be read as one '.repeat(100));
  const bodies = openBodies();
  keep(bodies, 1, 'lost');
  await bodies.flush();
  expect(existsSync(`${file}.damaged`)).toBe(true);
  const id = keep(bodies, 2, 'one');
  expect((await bodies.read(id)).sent?.text).toBe('one');
  await bodies.erase();
  expect(existsSync(`${file}.damaged`)).toBe(false);
  expect(logged[0]).toContain('set aside');
});

test('several requests that meet one damage set the database aside once, and the new one stays', async () => {
  const before = openBodies();
  const id = keep(before, 1, 'one');
  await before.close();
  const bytes = await readFile(file);
  await writeFile(file, bytes.fill(0xff, 4096));
  const bodies = openBodies();
  await Promise.allSettled([1, 2, 3, 4].map(() => bodies.read(id)));
  const next = keep(bodies, 2, 'two');
  await expect.poll(async () => (await bodies.read(next)).sent?.text).toBe('two');
  expect(logged.filter((line) => line.includes('set aside'))).toHaveLength(1);
});

test('a folder that cannot be written loses bodies, is told once, and harms nothing', async () => {
  await rm(folder, { recursive: true });
  const bodies = openBodies();
  for (const place of [1, 2]) {
    keep(bodies, place, 'text');
    await bodies.flush();
  }
  expect(bodies.dropped).toBe(2);
  expect(logged).toEqual([
    expect.stringContaining('error Requests and responses could not be stored.'),
  ]);
  await bodies.close();
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-bodies-'));
});

test('a thread that ended is replaced, and a body that is older than the limit is deleted at the next start', async () => {
  const before = openBodies();
  const id = keep(before, 1, 'one');
  await before.flush();
  await before.close();
  limits = { before: 2, bytes: 2 ** 30, none: false, clients: [] };
  const after = openBodies();
  const other = keep(after, 5, 'two');
  await expect.poll(async () => (await after.read(id)).state).toBe('absent');
  expect((await after.read(other)).state).toBe('kept');
});

test('more than the limit of bytes is deleted while it comes, the oldest first', async () => {
  limits = { before: 0, bytes: 2 ** 20, none: false, clients: [] };
  const bodies = openBodies();
  for (let place = 1; place <= 60; place += 1) {
    keep(bodies, place, randomBytes(60_000).toString('base64'));
    await bodies.flush();
  }
  await bodies.prune();
  const { stored, exchanges } = await bodies.size();
  expect(stored).toBeLessThanOrEqual(2 ** 20);
  expect(exchanges).toBeGreaterThan(3);
  expect((await bodies.read(known.at(-1) ?? toId(0))).state).toBe('kept');
});

test('without a body no database is made', async () => {
  const bodies = openBodies();
  await bodies.prune();
  expect(await bodies.size()).toEqual({ exchanges: 0, plain: 0, stored: 0, freed: [] });
  await bodies.close();
  expect(existsSync(file)).toBe(false);
});

test('a pin is kept with bodies that wait to be stored, and one that is missed is made up for at the next start', async () => {
  const before = openBodies();
  const [first, second, third] = [1, 2, 3].map((place) => keep(before, place, `text ${place}`));
  assert(first !== undefined && second !== undefined && third !== undefined);
  await before.pin([first], true);
  pinned = [first];
  limits = { before: 10, bytes: 2 ** 30, none: false, clients: [] };
  await before.prune();
  const states = [first, second].map(async (id) => (await before.read(id)).state);
  expect(await Promise.all(states)).toEqual(['kept', 'absent']);
  const late = keep(before, 4, 'late');
  await before.close();
  pinned = [first, late];
  const after = openBodies();
  await after.prune();
  expect((await after.read(late)).state).toBe('kept');
  // The history has deleted it for its size.
  pinned = [late];
  await after.prune();
  expect((await after.read(first)).state).toBe('absent');
});

test('deleted bodies are gone, also those that wait to be stored, and the others stay', async () => {
  const bodies = openBodies();
  const ids = Array.from({ length: 450 }, (_, place) => keep(bodies, place, `text ${place}`));
  await bodies.delete(ids.slice(1));
  expect((await bodies.size()).exchanges).toBe(1);
  expect((await bodies.read(toId(0))).sent?.text).toBe('text 0');
  await bodies.delete(ids);
  expect((await bodies.size()).exchanges).toBe(0);
});

test('deletions and prunings at once, while bodies come, take only what they must, pinned last, and the file shrinks', async () => {
  const bodies = openBodies();
  const texts = new Map<number, string>();
  const keepNext = (count: number) => {
    for (let at = 0; at < count; at += 1) {
      const place = texts.size;
      texts.set(place, `${place} ${randomBytes(30_000).toString('base64')}`);
      keep(bodies, place, texts.get(place) ?? '');
    }
  };
  keepNext(100);
  pinned = [toId(0), toId(1)];
  await bodies.pin(pinned, true);
  const { stored: before } = await bodies.size();
  limits = { before: 20, bytes: before / 2, none: false, clients: [] };
  const work = [bodies.prune(), bodies.delete([30, 31, 90].map(toId)), bodies.prune()];
  work.push(bodies.delete([31, 90, 91].map(toId)));
  for (let round = 0; round < 8; round += 1) {
    keepNext(5);
    work.push(bodies.flush());
  }
  await Promise.all(work);
  await bodies.prune();
  const kept: number[] = [];
  for (const [place, text] of texts) {
    const { state, sent } = await bodies.read(toId(place));
    if (state === 'kept') kept.push(place);
    expect([text, undefined]).toContain(sent?.text);
  }
  expect(kept.slice(0, 2)).toEqual([0, 1]);
  const oldest = kept[2] ?? 0;
  const rest = [...texts.keys()].filter((place) => place >= oldest && ![90, 91].includes(place));
  expect(kept.slice(2)).toEqual(rest);
  const { stored, exchanges } = await bodies.size();
  expect(exchanges).toBe(kept.length);
  expect(stored).toBeLessThanOrEqual(before / 2);
  await bodies.close();
  expect((await stat(file)).size).toBeLessThanOrEqual(before / 2);
});

test('of what is captured, and of what waits, 64 MiB are kept at once; the rest is dropped, and the log says so once', async () => {
  const bodies = openBodies();
  const body = Buffer.alloc(2 ** 20, 'word ');
  const captureAll = () =>
    Array.from({ length: 80 }, () => {
      const captured = bodies.capture(null);
      captured?.send(body);
      return captured;
    });
  const keepAll = (all: ReturnType<typeof captureAll>, from: number) => {
    for (const [at, captured] of all.entries()) {
      if (captured !== null) bodies.keep(makeFacts(from + at), captured);
    }
  };
  const first = captureAll();
  expect(first.filter((captured) => captured?.isIncomplete === false)).toHaveLength(64);
  keepAll(first, 0);
  expect(bodies.dropped).toBe(16);
  known = Array.from({ length: 200 }, (_, place) => toId(place));
  // The first ones wait in the thread.
  keepAll(captureAll(), 80);
  expect(bodies.dropped).toBe(16 + 80);
  await bodies.flush();
  keepAll(captureAll().slice(0, 10), 160);
  await bodies.flush();
  expect(bodies.dropped).toBe(16 + 80);
  expect((await bodies.size()).exchanges).toBe(64 + 10);
  expect(logged).toEqual([
    expect.stringContaining('error Requests and responses could not be stored.'),
  ]);
});
