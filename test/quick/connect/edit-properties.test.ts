import { isDeepStrictEqual } from 'node:util';
import { diffArrays } from 'diff';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CONFIG_FORMATS,
  type ConfigField,
  type ConfigFormat,
  type ConfigValue,
  countMissingParents,
} from '../../../gateway/connect/edit/config-format.ts';
import { randomEnv } from './random/random-env.ts';
import { drawFields, drawVariables, VALUE, VARIABLE } from './random/random-fields.ts';
import { drawFrom, type RandomFile } from './random/random-file.ts';
import { randomJson } from './random/random-json.ts';
import { randomToml } from './random/random-toml.ts';
import { randomYaml } from './random/random-yaml.ts';

/** The parser of YAML is slow. */
const RUNS = { json: 300, toml: 300, yaml: 60, env: 300 };

const FORMATS = [
  { name: 'json', drawFile: randomJson, drawPaths: drawFields, value: VALUE },
  { name: 'toml', drawFile: randomToml, drawPaths: drawFields, value: VALUE },
  { name: 'yaml', drawFile: randomYaml, drawPaths: drawFields, value: VALUE },
  { name: 'env', drawFile: randomEnv, drawPaths: drawVariables, value: VARIABLE },
] as const;

/** A file, and fields that it does not have. */
interface Case {
  readonly text: string;
  readonly file: RandomFile;
  readonly fields: readonly ConfigField[];
}

function cases({ drawFile, drawPaths, value }: (typeof FORMATS)[number]): fc.Arbitrary<Case> {
  const numbers = fc.array(fc.nat(), { minLength: 300, maxLength: 300 });
  const values = fc.array<ConfigValue>(value, { minLength: 1, maxLength: 3 });
  const mark = fc.constantFrom('', '', '\ufeff');
  return fc.tuple(numbers, values, mark).map(([choices, drawn, start]) => {
    const draw = drawFrom(choices);
    const file = drawFile(draw);
    return { file, text: start + file.text, fields: drawPaths(draw, file, drawn) };
  });
}

function removal(format: ConfigFormat, text: string, fields: readonly ConfigField[]) {
  return fields.map(({ path }) => ({
    path,
    emptyParents: countMissingParents(format, text, path),
  }));
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\n/u);
}

/** Adds comments that are unlike any others, each in a line of its own or after another line, where they change no value. */
function addMarks(format: ConfigFormat, text: string, places: readonly number[]): string {
  const value = format.read(text, []);
  return places.reduce((marked, place, index) => {
    const lines = marked.split('\n');
    const at = place % lines.length;
    const sign = format === CONFIG_FORMATS.json ? '//' : '#';
    const mark = `${sign} mark${index}`;
    const isOwnLine = place % 3 > 0;
    const line = lines[at] ?? '';
    const end = line.endsWith('\r') ? '\r' : '';
    const added = isOwnLine ? [mark + end, line] : [`${line.replace('\r', '')} ${mark}${end}`];
    const candidate = lines.toSpliced(at, 1, ...added).join('\n');
    return hasValue(format, candidate, value) ? candidate : marked;
  }, text);
}

function hasValue(format: ConfigFormat, text: string, value: ConfigValue | undefined): boolean {
  try {
    return isDeepStrictEqual(format.read(text, []), value);
  } catch {
    // The comment is in a place where the format has none.
    return false;
  }
}

function marksOf(text: string): readonly string[] {
  return (text.match(/mark\d+/gu) ?? []).toSorted();
}

describe.each(FORMATS)('a $name file', (kind) => {
  const format = CONFIG_FORMATS[kind.name];

  test('is the same byte for byte when new fields are removed again', () => {
    fc.assert(
      fc.property(cases(kind), ({ text, fields }) => {
        const edited = format.set(text, fields);
        for (const { path, value } of fields) expect(format.read(edited, path)).toEqual(value);
        expect(format.remove(edited, removal(format, text, fields))).toBe(text);
      }),
      { numRuns: RUNS[kind.name] },
    );
  });

  test('keeps all lines, but for one to which an item is added', () => {
    fc.assert(
      fc.property(cases(kind), ({ text, fields }) => {
        const edited = format.set(text, fields);
        const changes = diffArrays(linesOf(text), linesOf(edited));
        const changed = changes.flatMap(({ removed, value }) => (removed ? value : []));
        expect(changed.length).toBeLessThanOrEqual(fields.length);
      }),
      { numRuns: RUNS[kind.name] },
    );
  });

  test('keeps the comments and members that a person adds before the fields are removed', () => {
    const places = fc.array(fc.nat(), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(cases(kind), kind.value, places, ({ text, file, fields }, value, marks) => {
        const theirs = [theirField(file, value)];
        const edited = format.set(format.set(text, fields), theirs);
        const marked = addMarks(format, edited, marks);
        const removed = format.remove(marked, removal(format, text, fields));
        expect(marksOf(removed)).toEqual(marksOf(marked));
        expect(format.read(removed, [])).toEqual(format.read(format.set(text, theirs), []));
      }),
      { numRuns: RUNS[kind.name] },
    );
  });

  test('has a new value in place of the old one', () => {
    fc.assert(
      fc.property(cases(kind), kind.value, fc.nat(), ({ text, file }, value, choice) => {
        const path = file.values[choice % file.values.length] ?? [];
        fc.pre(path.length > 0);
        const edited = format.set(text, [{ path, value }]);
        expect(format.read(edited, path)).toEqual(value);
      }),
      { numRuns: RUNS[kind.name] },
    );
  });
});

/** Returns a field that a person adds to the first container. */
function theirField({ containers }: RandomFile, value: ConfigValue): ConfigField {
  const { path = [] } = containers.find(({ kind }) => kind === 'object') ?? {};
  return { path: [...path, 'THEIRS'], value };
}
