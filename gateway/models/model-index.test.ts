import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeName } from './name-matching.ts';
import { ModelIndex } from './model-index.ts';

const LIST = [
  { id: 'openai/gpt-5.5', object: 'model', owned_by: 'openai', title: 'GPT-5.5', tier: 'pro' },
  {
    id: 'openai/gpt-5.5-mini',
    object: 'model',
    owned_by: 'openai',
    title: 'GPT-5.5 mini',
    tier: 'free',
  },
  {
    id: 'anthropic/claude-sonnet-4.5',
    object: 'model',
    owned_by: 'anthropic',
    title: 'Claude Sonnet 4.5',
    tier: 'pro',
  },
  { id: 'qwen/coder', object: 'model', owned_by: 'qwen', title: '千问代码', tier: 'pro' },
  { id: 'acme/coder', object: 'model', owned_by: 'acme', title: 'Acme Coder', tier: 'pro' },
  { id: 'hub/qwen/embed-1.0', object: 'model', owned_by: 'hub', title: 'Embedder', tier: 'pro' },
  { id: 'h3', object: 'model', owned_by: 'video', title: 'H3 Video', tier: 'pro' },
];
const index = new ModelIndex(LIST);

describe('a requested model', () => {
  it('that is in the list matches exactly', () => {
    for (const { id } of LIST) expect(index.match(id)).toEqual({ kind: 'exact' });
  });

  it.each([
    ['gpt-5.5', 'openai/gpt-5.5'],
    ['GPT-5.5-Mini', 'openai/gpt-5.5-mini'],
    ['OpenAI/GPT-5.5', 'openai/gpt-5.5'],
    [' gpt-5.5 ', 'openai/gpt-5.5'],
    ['qwen/embed-1.0', 'hub/qwen/embed-1.0'],
    ['embed-1.0', 'hub/qwen/embed-1.0'],
    ['Claude Sonnet 4.5', 'anthropic/claude-sonnet-4.5'],
    ['claude-sonnet-4-5', 'anthropic/claude-sonnet-4.5'],
    ['claude_sonnet_4.5', 'anthropic/claude-sonnet-4.5'],
    ['千问代码', 'qwen/coder'],
    ['acme coder', 'acme/coder'],
    ['H3', 'h3'],
  ])('%j matches %j', (requested, id) => {
    expect(index.match(requested)).toEqual({ kind: 'one', id });
  });

  it('that matches two models is not resolved, and both are suggested', () => {
    expect(index.match('coder')).toEqual({
      kind: 'none',
      suggestions: ['acme/coder', 'qwen/coder'],
    });
  });

  it.each([
    ['gpt-5.4', 'openai/gpt-5.5'],
    ['gtp-5.5', 'openai/gpt-5.5'],
    ['sonnet', 'anthropic/claude-sonnet-4.5'],
    ['openrouter/claude-sonnet-4.6', 'anthropic/claude-sonnet-4.5'],
  ])('%j is similar to %j', (requested, id) => {
    const match = index.match(requested);
    expect(match).toMatchObject({ kind: 'none' });
    expect('suggestions' in match && match.suggestions[0]).toBe(id);
  });

  it.each(['', '/', '   ', 'pro', 'openai', 'zzzz', 'x'.repeat(300)])(
    'is not guessed from %j',
    (requested) => {
      expect(index.match(requested)).toEqual({ kind: 'none', suggestions: [] });
    },
  );

  it.each([
    [{ tier: 'pro' }, 'pro'],
    [{ replaced_by: 'next-1' }, 'next-1'],
    [{ family: 'Acme Prime' }, 'acme prime'],
    [{ name_kind: 'short' }, 'short'],
    [{ subtitled: 'Prime' }, 'prime'],
  ])('is only suggested, not resolved, for a field that is not a name: %j', (fields, requested) => {
    const list = new ModelIndex([{ id: 'acme/old-1', ...fields }, { id: 'acme/other' }]);
    expect(list.match(requested)).toEqual({ kind: 'none', suggestions: ['acme/old-1'] });
  });

  it.each(['name', 'title', 'displayName', 'display_name', 'model-name', 'i18n.label', 'UITitle'])(
    'is found by the field %s',
    (field) => {
      const list = new ModelIndex([{ id: 'acme/p-1', [field]: 'Prime' }, { id: 'acme/other' }]);
      expect(list.match('prime')).toEqual({ kind: 'one', id: 'acme/p-1' });
    },
  );

  it('is never found by the name of its provider', () => {
    const one = { id: 'open-ai/a', provider_name: 'OpenAI' };
    const other = { id: 'b', owned_by: 'acme', owner_title: 'Acme' };
    const list = new ModelIndex([one, other]);
    for (const requested of ['openai', 'OpenAI', 'acme'])
      expect(list.match(requested).kind).toBe('none');
  });

  it('is never found by the id of another model in its name', () => {
    const list = new ModelIndex([{ id: 'acme/old-1', title: 'Next 1' }, { id: 'acme/next-1' }]);
    expect(list.match('next 1').kind).toBe('none');
    expect(list.match('Next-1')).toEqual({ kind: 'one', id: 'acme/next-1' });
  });

  it('is never found by a field that does not hold a name', () => {
    const word = fc.stringMatching(/^[a-z]{3,8}$/);
    const field = fc
      .array(word, { minLength: 1, maxLength: 3 })
      .filter((words) => !['name', 'title', 'label'].includes(words.at(-1) ?? ''))
      .map((words) => words.join('_'))
      .filter((name) => !/display|^(?:id|object|created|owned_by)$/.test(name));
    const values = fc.uniqueArray(word, { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(field, values, (name, texts) => {
        const models = texts.map((value, i) => ({ id: `acme/${i}-model`, [name]: value }));
        const list = new ModelIndex(models);
        texts.forEach((value, i) => {
          expect(list.match(value)).toEqual({ kind: 'none', suggestions: [`acme/${i}-model`] });
          expect(list.match(` ${value.toUpperCase()} `).kind).toBe('none');
        });
      }),
    );
  });

  it('does not match another number', () => {
    expect(new ModelIndex([{ id: 'embed-10' }]).match('embed-1.0')).toMatchObject({ kind: 'none' });
  });

  it('never throws, and only ever resolves to an id of the list', () => {
    const ids = fc.array(fc.string({ minLength: 1, unit: 'grapheme' }), { maxLength: 8 });
    fc.assert(
      fc.property(ids, fc.string({ unit: 'grapheme' }), (list, requested) => {
        const match = new ModelIndex(list.map((id) => ({ id }))).match(requested);
        if (match.kind === 'exact') expect(list).toContain(requested);
        if (match.kind === 'one') expect(list).toContain(match.id);
        if (match.kind === 'none') {
          expect(match.suggestions.length).toBeLessThanOrEqual(3);
          expect(list).toEqual(expect.arrayContaining([...match.suggestions]));
        }
      }),
    );
  });

  it('is found in any letter case and without its provider, unless it is ambiguous', () => {
    const part = fc.stringMatching(/^[a-z][a-z0-9.-]{0,9}[a-z]$/);
    const id = fc.tuple(part, part).map((parts) => parts.join('/'));
    fc.assert(
      fc.property(fc.uniqueArray(id, { minLength: 1, maxLength: 20 }), (ids) => {
        const list = new ModelIndex(ids.map((one) => ({ id: one })));
        for (const one of ids) {
          const tail = one.slice(one.indexOf('/') + 1);
          const alone = ids.filter((other) => other.endsWith(`/${tail}`)).length === 1;
          const match = list.match(tail.toUpperCase());
          if (alone) expect(match).toEqual({ kind: 'one', id: one });
          else expect(match.kind).toBe('none');
        }
      }),
    );
  });
});

describe('a long list', () => {
  it('of 10,000 models is searched as fast as a short one', () => {
    const long = new ModelIndex(listOf(10_000));
    expect(long.match('Model 77 Instruct')).toEqual({
      kind: 'one',
      id: 'provider-27/model-77-instruct',
    });
    expect(long.match('modell-9999-instruct').kind).toBe('none');
  });
});

const listOf = (length: number) =>
  Array.from({ length }, (_, i) => ({
    id: `provider-${i % 50}/model-${i}-instruct`,
    name: `Model ${i} Instruct`,
    description: 'the same for many',
  }));

describe('normalizing', () => {
  it.each([
    ['Claude Sonnet 4.5', 'claudesonnet4.5'],
    ['claude-sonnet-4-5', 'claudesonnet4.5'],
    ['a.b-1.', 'ab1'],
    ['ＧＰＴ　５', 'gpt5'],
    ['...', ''],
  ])('%j results in %j', (text, squashed) => {
    expect(normalizeName(text)).toBe(squashed);
  });
});
