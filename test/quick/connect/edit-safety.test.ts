import { describe, expect, test } from 'vitest';
import {
  CONFIG_FORMATS,
  ConfigFormatError,
  countMissingParents,
} from '../../../gateway/connect/edit/config-format.ts';

const { json, toml, yaml, env } = CONFIG_FORMATS;
const MEGABYTE = 1024 * 1024;

function errorOf(action: () => unknown): ConfigFormatError {
  try {
    action();
  } catch (error) {
    if (error instanceof ConfigFormatError) return error;
    throw error;
  }
  throw new Error('Nothing was refused.');
}

describe('a text that is not valid', () => {
  test.each([
    ['json', '{\n  "a": 1,\n  "b" 2\n}', { line: 3, column: 7 }],
    ['json', '{"a": 1} trailing', { line: 1, column: 10 }],
    ['toml', 'a = 1\nb = = 2\n', { line: 2, column: 5 }],
    ['toml', 'a = 1\na = 2\n', { line: 2, column: 1 }],
    ['yaml', 'a: 1\nb: [1, 2\nc: 3\n', { line: 3, column: 1 }],
    ['yaml', 'a: {b: 1, b: 2}\n', { line: null, column: null }],
  ] as const)('of %s is refused with its place', (name, text, place) => {
    const error = errorOf(() => CONFIG_FORMATS[name].read(text, ['a']));
    expect(error).toMatchObject(place);
    expect(error.message).toMatch(/not valid|twice/u);
  });

  test('is refused when it has several YAML documents', () => {
    expect(errorOf(() => yaml.read('a: 1\n---\nb: 2\n', ['a'])).message).toContain('several');
  });
});

describe('an edit is refused', () => {
  test.each([
    ['within a member that stands twice', json, '{"a": {}, "a": {}}', /twice/u],
    ['within null', json, '{"a": null}', /null/u],
    ['within null of YAML', yaml, 'a: ~\n', /null/u],
    ['within a text', json, '{"a": "x"}', /not an object/u],
    ['within a list, by name', json, '{"a": []}', /not an object/u],
    ['within a text of TOML', toml, 'a = "x"\n', /not an object/u],
    ['within a text of YAML', yaml, 'a: x\n', /not an object/u],
    ['within an alias', yaml, 'x: &x {c: 1}\na: *x\n', /alias/u],
    ['that would change an alias', yaml, 'a: &x {c: 1}\nx: *x\n', /Other values/u],
    ['below a variable', env, 'a=1\n', /not an object/u],
  ] as const)('%s', (...[, format, text, message]) => {
    const fields = [{ path: ['a', 'b'], value: '1' }];
    expect(errorOf(() => format.set(text, fields)).message).toMatch(message);
  });

  test('with a name that no variable has', () => {
    const fields = [{ path: ['a b'], value: '1' }];
    expect(errorOf(() => env.set('', fields)).message).toContain('no name');
  });

  test('when two list items fit', () => {
    const text = '{"models": [{"name": "x"}, {"name": "x"}]}';
    const path = ['models', { where: 'name', is: 'x' }, 'url'];
    expect(errorOf(() => json.set(text, [{ path, value: 1 }])).message).toContain('twice');
    expect(errorOf(() => json.read(text, path)).message).toContain('models[name="x"]');
  });

  test('when the new item is another one', () => {
    const path = ['models', { where: 'name', is: 'x' }];
    expect(() => json.set('', [{ path, value: { name: 'y' } }])).toThrow(ConfigFormatError);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, '\ud800', [{ a: '\udc00' }]])(
    'with a value that no file can have: %o',
    (value) => {
      for (const format of Object.values(CONFIG_FORMATS))
        expect(() => format.set('', [{ path: ['a'], value }])).toThrow(ConfigFormatError);
    },
  );

  test('with null in TOML, and with anything but texts as variables', () => {
    expect(() => toml.set('', [{ path: ['a'], value: [null] }])).toThrow(ConfigFormatError);
    expect(() => env.set('', [{ path: ['A'], value: 1 }])).toThrow(ConfigFormatError);
  });

  test('with a variable that programs would read differently', () => {
    expect(() => env.set('', [{ path: ['A'], value: 'it\'s "$HOME"' }])).toThrow(ConfigFormatError);
    expect(() => env.set("A='open\n", [{ path: ['B'], value: '#' }])).toThrow(ConfigFormatError);
  });
});

describe('names of JavaScript', () => {
  test.each(['json', 'toml', 'yaml'] as const)('are members like any others in %s', (name) => {
    const format = CONFIG_FORMATS[name];
    const fields = ['__proto__', 'constructor', 'prototype'].map((member) => ({
      path: [member, 'polluted'],
      value: true,
    }));
    const text = format.set('', fields);
    for (const { path } of fields) expect(format.read(text, path)).toBe(true);
    expect(format.read(text, ['toString'])).toBeUndefined();
    expect(format.read(text, ['hasOwnProperty', 'call'])).toBeUndefined();
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    const removed = fields.map(({ path }) => ({ path, emptyParents: 2 }));
    expect(format.remove(text, removed)).toBe('');
  });
});

describe('a huge text', () => {
  const LARGE = {
    json: `{${Array.from({ length: 80_000 }, (_, at) => `\n  "k${at}": {"text": "${'x'.repeat(40)}"}`).join(',')}\n}\n`,
    toml: Array.from({ length: 80_000 }, (_, at) => `[k${at}]\ntext = "${'x'.repeat(45)}"\n`).join(
      '',
    ),
    yaml: Array.from({ length: 16_000 }, (_, at) => `k${at}:\n  text: "${'x'.repeat(45)}"\n`).join(
      '',
    ),
    env: Array.from({ length: 80_000 }, (_, at) => `K${at}="${'x'.repeat(55)}"\n`).join(''),
  };

  test.each([
    ['json', LARGE.json, 5_000_000],
    ['toml', LARGE.toml, 5_000_000],
    // The parser of YAML needs about a second for each megabyte.
    ['yaml', LARGE.yaml, 1_000_000],
    ['env', LARGE.env, 5_000_000],
  ] as const)('of some megabytes is edited: %s', (name, text, size) => {
    const format = CONFIG_FORMATS[name];
    expect(text.length).toBeGreaterThan(size);
    const edited = format.set(text, [{ path: ['NEW'], value: 'value' }]);
    expect(edited.length).toBeGreaterThan(text.length);
    expect(edited.length).toBeLessThan(text.length + 30);
  });

  test('of more than 10 MB is refused', () => {
    const text = ' '.repeat(10 * MEGABYTE + 1);
    for (const format of Object.values(CONFIG_FORMATS))
      expect(errorOf(() => format.read(text, ['a'])).message).toContain('10 MB');
  });

  test.each([
    ['json', '['.repeat(100_000)],
    ['json', `{"a":${'{"a":'.repeat(100_000)}`],
    ['json', `${'['.repeat(300)}${']'.repeat(300)}`],
    ['toml', `a = ${'['.repeat(100_000)}`],
    ['toml', `a = ${'{ a = '.repeat(100_000)}`],
    ['toml', `${'a.'.repeat(100_000)}a = 1`],
    ['yaml', '['.repeat(100_000)],
    ['yaml', 'a: {'.repeat(100_000)],
    ['yaml', '- '.repeat(100_000)],
    ['yaml', Array.from({ length: 2000 }, (_, at) => `${' '.repeat(at)}a:\n`).join('')],
  ] as const)('that is nested too deeply is refused: %s', (name, text) => {
    const format = CONFIG_FORMATS[name];
    expect(() => format.read(text, ['a'])).toThrow(ConfigFormatError);
    expect(() => format.set(text, [{ path: ['a'], value: 1 }])).toThrow(ConfigFormatError);
  });

  test('of aliases of aliases is refused', () => {
    const levels = Array.from({ length: 20 }, (_, at) =>
      at === 0 ? 'a0: &a0 [x, x]' : `a${at}: &a${at} [*a${at - 1}, *a${at - 1}]`,
    );
    expect(() => yaml.read(levels.join('\n'), ['a0'])).toThrow(ConfigFormatError);
  });

  test.each([
    '\n'.repeat(2_000_000),
    'A=\n'.repeat(500_000),
    'A="'.repeat(500_000),
    "A='\n".repeat(200_000),
  ])('of lines without variables, or with open quotes, is read at once', (text) => {
    expect(env.read(text, ['B'])).toBeUndefined();
  });
});

describe('missing parents', () => {
  test('are counted as a text lacks them', () => {
    const path = ['models', { where: 'name', is: 'x' }, 'url'];
    expect(countMissingParents(json, '', path)).toBe(3);
    expect(countMissingParents(json, '{}', path)).toBe(2);
    expect(countMissingParents(yaml, 'models: []\n', path)).toBe(1);
    expect(countMissingParents(toml, '[[models]]\nname = "x"\n', path)).toBe(0);
    expect(countMissingParents(env, '', ['A'])).toBe(0);
  });
});
