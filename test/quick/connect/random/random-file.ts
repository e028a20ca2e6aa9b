import type { PathStep } from '../../../../gateway/connect/edit/config-format.ts';

/** A container of a file, to which members or items can be added. */
export interface Container {
  readonly path: readonly PathStep[];
  readonly kind: 'object' | 'list';
}

/** A random file, its containers, and the paths of its values. */
export interface RandomFile {
  readonly text: string;
  readonly containers: readonly Container[];
  readonly values: readonly (readonly PathStep[])[];
}

/** The choices by which a random file is written. */
export interface Draw {
  /** Returns a whole number from 0 to `most`. */
  nat(most: number): number;
  /** Returns true once in `times`. */
  oneIn(times: number): boolean;
  pick<T>(choices: readonly T[]): T;
  /** Returns at most `most` different names: `k0`, `k1` and so on, and odd ones. */
  names(most: number): readonly string[];
}

/** Texts that are special to one of the formats. */
export const WORDS: readonly string[] = [
  'alpha',
  'http://127.0.0.1:4000/v1',
  'it works',
  'a # b',
  'é🦊',
  '',
  'x: y',
  'a, b',
  '-\ntwo lines',
  '}',
  '"q"',
  'true',
  '12',
  '- a',
  '[',
  '{',
  "it's",
  'back\\slash',
  'no',
  '// no',
  '/* no */',
  '$HOME',
  '= 1',
];

/** Texts of comments. */
export const REMARKS: readonly string[] = [
  'note',
  'TODO: "quoted"',
  "it's",
  '[brackets] {and} more, yes',
  'k0: 1',
  'k0 = 1',
  'é🦊',
  '',
];

/** Names that are special to one of the formats, or to JavaScript. */
export const ODD_NAMES: readonly string[] = [
  '__proto__',
  'constructor',
  'a b',
  'a.b',
  'é',
  '"',
  'on',
  '1',
  'toString',
  'url',
  '',
  '-',
  '~',
];

/** Makes each choice by the next of the numbers, and the first choice when there are no more of them. */
export function drawFrom(numbers: readonly number[]): Draw {
  let next = 0;
  const nat = (most: number) => {
    const number = numbers[next] ?? 0;
    next += 1;
    return number % (most + 1);
  };
  const pick = <T>(choices: readonly T[]): T => {
    const [first] = choices;
    if (first === undefined) throw new Error('There is nothing to choose from.');
    return choices[nat(choices.length - 1)] ?? first;
  };
  const name = (index: number) => (nat(5) === 5 ? pick(ODD_NAMES) : `k${index}`);
  return {
    nat,
    pick,
    oneIn: (times) => nat(times - 1) === times - 1,
    names: (most) => [...new Set(Array.from({ length: nat(most) }, (_, index) => name(index)))],
  };
}
