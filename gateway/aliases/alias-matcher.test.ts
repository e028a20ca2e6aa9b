import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ClientId } from '../../shared/client.ts';
import { foldCase } from '../../shared/fold-case.ts';
import { AliasId, type ModelAlias } from '../../shared/model-alias.ts';
import { matchesPattern } from '../../shared/name-pattern.ts';
import { AliasMatcher } from './alias-matcher.ts';

type Named = Partial<ModelAlias> & Pick<ModelAlias, 'name'>;

function alias(fields: Named): ModelAlias {
  const id = AliasId.parse(JSON.stringify([fields.profile, fields.clientId, fields.name]));
  return { id, profile: null, clientId: null, model: `for ${id}`, effort: null, ...fields };
}

const CODER = ClientId.parse('coder');

describe('the preferred alias of several', () => {
  test.each<[what: string, preferred: Named, other: Named]>([
    [
      'a whole name before a pattern for the client',
      { name: 'a-1' },
      { name: 'a-*', clientId: CODER },
    ],
    ['one for the client before one for all', { name: 'a-1', clientId: CODER }, { name: 'a-1' }],
    [
      'a short pattern for the client before a long one',
      { name: 'a*', clientId: CODER },
      { name: 'a-*' },
    ],
    ['the longer pattern', { name: 'a-*' }, { name: 'a*' }],
    [
      'one of the profile in use before a whole name',
      { name: 'a*', profile: 'p' },
      { name: 'a-1' },
    ],
    ['one in another case', { name: 'A-1' }, { name: 'a-*' }],
  ])('%s', (_what, preferred, other) => {
    for (const pair of [
      [preferred, other],
      [other, preferred],
    ]) {
      const matcher = new AliasMatcher(pair.map(alias), 'P');
      expect(matcher.find(CODER, 'a-1')).toEqual(alias(preferred));
    }
  });

  test('a profile that is not in use holds for nothing', () => {
    const matcher = new AliasMatcher([alias({ name: 'a', profile: 'p' })], 'q');
    expect(matcher.find(CODER, 'a')).toBeNull();
  });

  test('the default is found apart, and holds for every name', () => {
    const matcher = new AliasMatcher(
      [alias({ name: '*' }), alias({ name: '*', clientId: CODER })],
      null,
    );
    expect(matcher.find(CODER, 'a')).toBeNull();
    expect(matcher.findDefault(CODER)?.clientId).toBe(CODER);
    expect(matcher.findDefault('other')?.clientId).toBeNull();
  });

  test('the window and the chat pick models from the list, so only an alias for them holds', () => {
    const matcher = new AliasMatcher([alias({ name: 'a' }), alias({ name: '*' })], null);
    expect([matcher.find('chat', 'a'), matcher.findDefault('window')]).toEqual([null, null]);
    const own = new AliasMatcher([alias({ name: 'a', clientId: ClientId.parse('chat') })], null);
    expect(own.find('chat', 'a')).not.toBeNull();
  });

  test('a star that is escaped is part of a name', () => {
    const matcher = new AliasMatcher([alias({ name: String.raw`\*` })], null);
    expect(matcher.find(CODER, '*')).not.toBeNull();
    expect([matcher.find(CODER, 'a'), matcher.findDefault(CODER)]).toEqual([null, null]);
  });

  test('a name of 16 million characters is compared with nothing, and not remembered', () => {
    const matcher = new AliasMatcher([alias({ name: 'a*' })], null);
    const long = 'a'.repeat(16_000_000);
    const began = performance.now();
    for (let times = 0; times < 10_000; times += 1) matcher.find(CODER, long);
    expect(performance.now() - began).toBeLessThan(500);
    expect(matcher.find(CODER, long)).toBeNull();
  });
});

const part = fc.constantFrom('a', 'b', 'A', '-', '1', '*');
const names = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''));
const aliases = fc.uniqueArray(
  fc.record({
    name: names.filter((name) => name.replaceAll('*', '') !== ''),
    profile: fc.constantFrom(null, 'p', 'q'),
    clientId: fc.constantFrom(null, CODER, ClientId.parse('other')),
  }),
  {
    maxLength: 12,
    selector: ({ name, profile, clientId }) => JSON.stringify([foldCase(name), profile, clientId]),
  },
);

/** The rank of an alias as the documentation says it, by comparing texts: the smallest is preferred. */
function rank({ profile, name, clientId }: ModelAlias): string {
  const own = name.replaceAll('*', '').length;
  const isPattern = name.includes('*');
  return [
    profile === null ? 1 : 0,
    isPattern ? 1 : 0,
    clientId === null ? 1 : 0,
    String(100 - own),
    foldCase(name),
  ].join(' ');
}

test('of any aliases the one is found that the documentation says, in any order and asked twice', () => {
  fc.assert(
    fc.property(
      aliases,
      fc.nat(),
      names,
      fc.constantFrom(null, 'p'),
      (given, turn, model, used) => {
        const all = given.map(alias);
        const turned = [...all.slice(turn % 12), ...all.slice(0, turn % 12)];
        const matcher = new AliasMatcher(turned, used);
        const [expected = null] = all
          .filter(({ profile }) => profile === null || profile === used)
          .filter(({ clientId }) => clientId === null || clientId === CODER)
          .filter(({ name }) => matchesPattern(name, model))
          .toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1));
        expect(matcher.find(CODER, model)).toEqual(expected);
        expect(matcher.find(CODER, model)).toEqual(expected);
      },
    ),
    { numRuns: 2_000 },
  );
});
