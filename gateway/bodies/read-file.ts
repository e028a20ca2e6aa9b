import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { ExchangeBodies } from '../../shared/exchange/body.ts';
import type { ExchangeId, RunId } from '../../shared/exchange/exchange.ts';
import type { FixtureChunk, RunDetail, RunPage } from '../../shared/run/run.ts';
import { readClean, readTexts, toKeptBodies } from './stored-bodies.ts';
import { Frames } from './frames.ts';
import { openToRead, readConsistently } from './open-body-database.ts';
import type { BodyHits, BodyRequests, Secrets } from './protocol.ts';
import { Continuations } from './runs/continuations.ts';
import { recordStep } from './runs/record-step.ts';
import { findRuns, findTitles, listRuns, listSteps, readRun } from './runs/run-reader.ts';
import { writeFixture } from './runs/write-fixture.ts';
import { MAX_BODY_HITS } from '../../shared/exchange/body.ts';
import { searchTexts } from './search/text-index.ts';

// These functions read a file that another process may be writing.

/** Reads the bodies of an exchange. @throws SQLite's error */
export function readStoredBodies(file: string, id: ExchangeId): ExchangeBodies {
  using bodies = openStoredBodies(file);
  return bodies.read(id);
}

/** Reads the bodies of many exchanges from a file that stays open. */
interface StoredBodiesReader extends Disposable {
  /** @throws SQLite's error */
  readonly read: (id: ExchangeId) => ExchangeBodies;
}

/** Opens the file to read many bodies. @throws SQLite's error */
export function openStoredBodies(file: string): StoredBodiesReader {
  if (!existsSync(file))
    return { read: () => toKeptBodies(null), [Symbol.dispose]: () => undefined };
  const database = openToRead(file);
  const readBoth = createReader(database);
  return {
    read: (id) => {
      const { bodies, earlier } = readBoth(id, true);
      return { ...toKeptBodies(bodies), ...(earlier === undefined ? {} : { earlier }) };
    },
    [Symbol.dispose]: () => database.close(),
  };
}

/** Reads bodies and runs with the secrets masked that are known now. */
export interface MaskedBodiesReader extends Disposable {
  /** `isRebuilt`: with the messages before those of the request. @throws SQLite's error */
  readonly read: (id: ExchangeId, isRebuilt: boolean) => Promise<ExchangeBodies>;
  readonly mask: (run: RunDetail) => Promise<RunDetail>;
  /** Lists the parts of a text that have the form of a key of a well-known service. */
  readonly listKeys: (text: string) => Promise<readonly string[]>;
}

/** Opens the file to read many bodies, masked. @throws SQLite's error */
export async function openMaskedBodies(
  file: string,
  secrets: Secrets,
): Promise<MaskedBodiesReader> {
  // Most commands do not need the rules for keys, which take long to load.
  const { maskBodiesAgain, maskEarlierAgain, maskRunAgain } =
    await import('./secrets/mask-again.ts');
  const { listKnownKeys } = await import('./secrets/known-keys.ts');
  const { SecretMask } = await import('./secrets/secret-mask.ts');
  const mask = new SecretMask();
  const database = existsSync(file) ? openToRead(file) : null;
  const readBoth = database === null ? null : createReader(database);
  return {
    read: async (id, isRebuilt) => {
      if (readBoth === null) return toKeptBodies(null);
      const stored = readBoth(id, isRebuilt);
      const earlier = await maskEarlierAgain(stored.earlier, secrets, mask);
      const bodies = toKeptBodies(await maskBodiesAgain(stored.bodies, secrets, mask));
      return { ...bodies, ...(earlier === undefined ? {} : { earlier }) };
    },
    mask: async (run) => await maskRunAgain(run, secrets, mask),
    listKeys: listKnownKeys,
    [Symbol.dispose]: () => database?.close(),
  };
}

/** Lists all exchanges of a run, those of one sequence together. @throws SQLite's error */
export function listStoredSteps(file: string, id: RunId): readonly ExchangeId[] {
  return readFile(file, (database) => listSteps(database, id)) ?? [];
}

/** Returns the titles of those runs that there are, by their ids. @throws SQLite's error */
export function findStoredTitles(file: string, ids: readonly RunId[]): ReadonlyMap<string, string> {
  return readFile(file, (database) => findTitles(database, ids)) ?? new Map();
}

/** Lists runs, the latest first. @throws SQLite's error */
export function listStoredRuns(file: string, query: BodyRequests['runs']['request']): RunPage {
  return (
    readFile(file, (database) => listRuns(database, query)) ?? { runs: [], matches: {}, next: null }
  );
}

/** Returns runs whose ids begin with a text, at most two. @throws SQLite's error */
export function findStoredRuns(file: string, idPrefix: string): readonly RunDetail[] {
  const found = readFile(file, (database) =>
    findRuns(database, idPrefix, 2).flatMap((id) => readRun(database, id) ?? []),
  );
  return found ?? [];
}

/** Writes a run as a fixture for the sandbox, piece by piece, masked. @throws UserError when it cannot be one; SQLite's error */
export async function* writeStoredFixture(
  file: string,
  run: RunDetail,
  secrets: Secrets,
): AsyncGenerator<FixtureChunk, void, void> {
  using bodies = await openMaskedBodies(file, secrets);
  yield* writeFixture(run, async (step) => recordStep(await bodies.read(step.id, false), step));
}

/** Finds the latest exchanges whose texts have all of these phrases. @throws SQLite's error */
export function searchStoredBodies(file: string, phrases: readonly string[]): BodyHits {
  const query = { phrases, before: null, limit: MAX_BODY_HITS };
  const found = readFile(file, (database) => searchTexts(database, query));
  return found ?? { ids: [], next: null, through: null };
}

/** Returns a function that reads the bodies of an exchange, and the messages before those of its request. */
function createReader(database: DatabaseSync) {
  const frames = new Frames(database);
  const read = (id: ExchangeId) => readClean(database, frames, id);
  const continuations = new Continuations(database, (id) => readTexts(database, frames, id));
  return (id: ExchangeId, isRebuilt: boolean) =>
    readConsistently(database, () => {
      const bodies = read(id);
      const earlier = isRebuilt ? continuations.read(id, toKeptBodies(bodies)) : undefined;
      return { bodies, earlier };
    });
}

/** Returns `null` when there is no file. */
function readFile<Value>(file: string, read: (database: DatabaseSync) => Value): Value | null {
  if (!existsSync(file)) return null;
  const database = openToRead(file);
  try {
    return readConsistently(database, () => read(database));
  } finally {
    database.close();
  }
}
