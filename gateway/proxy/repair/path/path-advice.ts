import type { Repair, RepairCode } from '../../../../shared/exchange/repair.ts';
import {
  hasOuterSpace,
  type Root,
  matchApiRoot,
  rootWords,
  type Segments,
} from './path-grammar.ts';

/** The relevant part of a path: `words` follow `/v1`, and begin at segment `start` of the path. */
export interface PathChange {
  /** `null` for a path of no known route. */
  readonly root: Root | null;
  readonly start: number;
  readonly words: readonly string[];
}

/** The path before and after its repair, and the local base URL without `/v1`. */
interface Change {
  readonly path: string;
  readonly repaired: string;
  readonly base: string;
}

/**
 * Describes the mistakes in a path as one repair, because one change of the client mends them all: its code is that of the first
 * kind in a fixed order, and its advice names the base URL that the client should use.
 * `/v1/v1/messages` → path-doubled: “This client adds /v1/messages itself. Set its base address to …”
 */
export function pathRepairs(segments: Segments, pathChange: PathChange, change: Change): Repair[] {
  const faults = findFaults(segments, pathChange, change.path);
  const context = toAdviceContext(pathChange, faults, change);
  const [code, ...others] = ORDER.filter((one) => faults[one]);
  if (code === undefined) return [];
  const advice = [ADVICE[code](context), ...others.map((other) => ALSO[other])].join(' ');
  return [{ code, before: change.path, after: change.repaired, advice }];
}

type PathCode = Extract<RepairCode, `path-${string}`>;

/** The words that a client appends by itself, and the base URL that fits it. */
interface AdviceContext {
  readonly appended: string;
  readonly base: string;
  /** How often `/v1` is there, when that is the only thing doubled and it is unknown who added it. */
  readonly versions: number;
}

const ORDER: readonly PathCode[] = [
  'path-doubled',
  'path-missing-v1',
  'path-prefix',
  'path-case',
  'path-encoding',
  'path-slashes',
  'path-spaces',
];

const ADVICE: Readonly<Record<PathCode, (context: AdviceContext) => string>> = {
  'path-doubled': ({ appended, base, versions }) =>
    versions > 0
      ? describeVersions(versions, base)
      : `This client adds ${appended} itself. Set its base address to ${base} and nothing more.`,
  'path-missing-v1': ({ appended, base }) =>
    `This client adds only ${appended}. Set its base address to ${base}, with /v1 at the end.`,
  'path-prefix': ({ base }) =>
    `Gatehouse needs no prefix before /v1. Set this client's base address to ${base}.`,
  'path-case': ({ base }) =>
    `Addresses are written in lower case. Set this client's base address to ${base}.`,
  'path-encoding': ({ base }) =>
    `Letters in addresses are not percent-encoded, and nothing follows a route’s words after a semicolon. Set this client's base address to ${base}.`,
  'path-slashes': ({ base }) =>
    `The address has an extra slash. Set this client's base address to ${base}, without a slash at the end.`,
  'path-spaces': ({ base }) =>
    `The address contains a space. Set this client's base address to ${base}, without spaces around it.`,
};

/** Sentences about the base address that follow the advice of another mistake. */
const ALSO: Readonly<Record<PathCode, string>> = {
  'path-doubled': 'Nothing in it occurs twice.',
  'path-missing-v1': 'The client does not add /v1 itself.',
  'path-prefix': 'It has no prefix before /v1.',
  'path-case': 'It is written in lower case.',
  'path-encoding': 'Nothing in it is percent-encoded, and nothing follows a semicolon.',
  'path-slashes': 'It has no extra slashes, and none at the end.',
  'path-spaces': 'It contains no spaces.',
};

/** Describes a repeated `/v1`: one cannot see where the base address ends, so both cases are named. */
function describeVersions(versions: number, base: string): string {
  const times = versions === 2 ? 'twice' : `${versions} times`;
  return `The path has /v1 ${times}. If the base address ends in /v1${'/v1'.repeat(versions - 1)}, leave only one of them. If the client adds /v1 itself, set its base address to ${base} and nothing more.`;
}

interface Faults extends Readonly<Record<PathCode, boolean>> {
  /** Whether the relevant part directly followed a `v1`. */
  readonly ownVersion: boolean;
  /** Number of `v1`, when nothing else is doubled. */
  readonly versions: number;
}

function findFaults(segments: Segments, pathChange: PathChange, path: string): Faults {
  const ownVersion = segments.lower[pathChange.start - 1] === 'v1';
  const before = classifyPrefix(segments, ownVersion ? pathChange.start - 1 : pathChange.start);
  const version = ownVersion || before.versions > 0;
  const differing = findDifferentWords(segments, pathChange, ownVersion);
  return {
    ownVersion,
    versions: before.routes ? 0 : before.versions + (ownVersion ? 1 : 0),
    'path-doubled': before.routes || (ownVersion && before.versions > 0),
    'path-missing-v1': !version,
    'path-prefix': before.prefix,
    'path-case': differing.some(([sent, word]) => sent.toLowerCase() === word),
    'path-encoding': differing.some(([sent, word]) => sent.toLowerCase() !== word),
    'path-spaces': hasOuterSpace(path),
    'path-slashes': path.includes('//') || (path.endsWith('/') && path !== '/'),
  };
}

/**
 * Classifies the segments before `end`: foreign words come first; from the first `v1` or route on, it is a base URL that was pasted
 * twice.
 */
function classifyPrefix(
  segments: Segments,
  end: number,
): { versions: number; routes: boolean; prefix: boolean } {
  let versions = 0;
  let routes = false;
  let prefix = false;
  for (let index = 0; index < end; index += 1) {
    if (segments.lower[index] === 'v1') versions += 1;
    else if (matchApiRoot(segments, index) !== null) routes = true;
    else if (versions > 0 && segments.lower[index] === 'chat') routes = true;
    else if (versions === 0 && !routes) prefix = true;
  }
  return { versions, routes, prefix };
}

/** Returns the words of the relevant part, its `v1` included, that were spelled differently. */
function findDifferentWords(
  segments: Segments,
  pathChange: PathChange,
  ownVersion: boolean,
): readonly (readonly [sent: string, word: string])[] {
  const sent = segments.raw.slice(ownVersion ? pathChange.start - 1 : pathChange.start);
  const words = ownVersion ? ['v1', ...pathChange.words] : pathChange.words;
  const present = words.slice(words.length - sent.length);
  return sent
    .map((segment, index) => [segment, present[index] ?? ''] as const)
    .filter(([segment, word]) => segment !== word);
}

function toAdviceContext(
  pathChange: PathChange,
  faults: Faults,
  { path, base }: Change,
): AdviceContext {
  const family = pathChange.root?.family ?? null;
  const words =
    pathChange.root === null ? pathChange.words.slice(0, 1) : rootWords(pathChange.root.family);
  const appended = ['', ...(faults.ownVersion ? ['v1'] : []), ...words].join('/');
  if (isAmbiguous(faults, family, path)) return { appended, base, versions: faults.versions };
  return { appended, base: addsVersion(faults, family, path) ? base : `${base}/v1`, versions: 0 };
}

/** Whether only `/v1` is doubled, by a client of a protocol whose base address may end in it, or not. */
function isAmbiguous({ versions }: Faults, family: string | null, path: string): boolean {
  return versions > 1 && family !== 'messages' && !path.includes('//');
}

/** Whether the client adds `/v1` by itself, so that its base URL must not have it (spec section 1). */
function addsVersion(faults: Faults, family: string | null, path: string): boolean {
  if (faults['path-missing-v1'] || !faults.ownVersion) return false;
  if (faults['path-doubled']) return true;
  // A doubled slash shows where the base URL ended and the client's own path begins.
  if (/\/\/v1(?:\/|$)/iu.test(path)) return true;
  if (/\/v1\/\//iu.test(path)) return false;
  return family === 'messages';
}
