import type { Repair, RepairCode } from '../../../../shared/repair.ts';
import {
  hasOuterSpace,
  type Root,
  matchApiRoot,
  rootWords,
  type Segments,
} from './path-grammar.ts';

/** The part of a path that counts: `words` follow `/v1`, and stood in the path from segment `start` on. */
export interface PathChange {
  /** `null` for an address that is none of the known routes. */
  readonly root: Root | null;
  readonly start: number;
  readonly words: readonly string[];
}

/** The path before and after its repair, and the local base address without `/v1`. */
interface Change {
  readonly path: string;
  readonly meant: string;
  readonly base: string;
}

/** Names what was wrong with a path: one repair for each kind of mistake, in a fixed order. */
export function pathRepairs(segments: Segments, kept: PathChange, change: Change): Repair[] {
  const faults = findFaults(segments, kept, change.path);
  const words = adviceWords(kept, faults, change);
  return ORDER.filter((code) => faults[code]).map((code) => ({
    code,
    before: change.path,
    after: change.meant,
    advice: ADVICE[code](words),
  }));
}

type PathCode = Extract<RepairCode, `path-${string}`>;

/** What a client seems to append by itself, and the base address that fits it. */
interface AdviceWords {
  readonly appended: string;
  readonly base: string;
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

const ADVICE: Readonly<Record<PathCode, (words: AdviceWords) => string>> = {
  'path-doubled': ({ appended, base }) =>
    `This client adds ${appended} by itself. Set its base address to ${base} and nothing more.`,
  'path-missing-v1': ({ appended, base }) =>
    `This client adds only ${appended}. Set its base address to ${base}, with /v1 at the end.`,
  'path-prefix': ({ base }) =>
    `Other services need words before /v1, Gatehouse does not. Set this client's base address to ${base}.`,
  'path-case': ({ base }) =>
    `Addresses are written in small letters. Set this client's base address to ${base}.`,
  'path-encoding': ({ base }) =>
    `Letters in addresses are not percent-encoded, and nothing follows a route’s words after a semicolon. Set this client's base address to ${base}.`,
  'path-slashes': ({ base }) =>
    `There is a slash too many. Set this client's base address to ${base}, without a slash at the end.`,
  'path-spaces': ({ base }) =>
    `There is a space in the address. Set this client's base address to ${base}, without spaces around it.`,
};

interface Faults extends Readonly<Record<PathCode, boolean>> {
  /** The kept part stood right behind a `v1` of its own. */
  readonly ownVersion: boolean;
}

function findFaults(segments: Segments, kept: PathChange, path: string): Faults {
  const ownVersion = segments.lower[kept.start - 1] === 'v1';
  const noise = noiseBefore(segments, ownVersion ? kept.start - 1 : kept.start);
  const version = ownVersion || noise.versions > 0;
  const differing = differingWords(segments, kept, ownVersion);
  return {
    ownVersion,
    'path-doubled': noise.routes || (ownVersion && noise.versions > 0),
    'path-missing-v1': !version,
    'path-prefix': noise.prefix,
    'path-case': differing.some(([stood, word]) => stood.toLowerCase() === word),
    'path-encoding': differing.some(([stood, word]) => stood.toLowerCase() !== word),
    'path-spaces': hasOuterSpace(path),
    'path-slashes': path.includes('//') || (path.endsWith('/') && path !== '/'),
  };
}

/** What stands before segment `end`: foreign words come first; from the first `v1` or route on, it is a pasted address. */
function noiseBefore(
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

/** The words of the kept part, its `v1` included, that stood there in another spelling. */
function differingWords(
  segments: Segments,
  kept: PathChange,
  ownVersion: boolean,
): readonly (readonly [stood: string, word: string])[] {
  const stood = segments.raw.slice(ownVersion ? kept.start - 1 : kept.start);
  const words = ownVersion ? ['v1', ...kept.words] : kept.words;
  const present = words.slice(words.length - stood.length);
  return stood
    .map((segment, index) => [segment, present[index] ?? ''] as const)
    .filter(([segment, word]) => segment !== word);
}

function adviceWords(kept: PathChange, faults: Faults, { path, base }: Change): AdviceWords {
  const family = kept.root?.family ?? null;
  const words = kept.root === null ? kept.words.slice(0, 1) : rootWords(kept.root.family);
  const appended = ['', ...(faults.ownVersion ? ['v1'] : []), ...words].join('/');
  return { appended, base: addsVersion(faults, family, path) ? base : `${base}/v1` };
}

/** Whether the client adds `/v1` by itself, so that its base address must be without it (spec section 1). */
function addsVersion(faults: Faults, family: string | null, path: string): boolean {
  if (faults['path-missing-v1'] || !faults.ownVersion) return false;
  if (faults['path-doubled']) return true;
  // A slash too many shows where the base address ended and what the client appended to it.
  if (/\/\/v1(?:\/|$)/iu.test(path)) return true;
  if (/\/v1\/\//iu.test(path)) return false;
  return family === 'messages';
}
