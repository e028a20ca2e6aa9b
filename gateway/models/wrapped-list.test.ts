import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readModelList } from './model-list.ts';
import { wrapModelList } from './wrapped-list.ts';

const wrap = (text: string) => {
  const wrapped = wrapModelList(Buffer.from(text));
  return wrapped === null ? null : { ...wrapped, body: wrapped.body.toString() };
};

const text = fc.string({ unit: 'grapheme' });
const model = fc
  .tuple(fc.string({ minLength: 1 }), fc.dictionary(text, fc.jsonValue({ maxDepth: 2 })))
  .map(([id, fields]): Record<string, unknown> => ({ ...fields, id, object: 'model' }));
const models = fc.array(model, { minLength: 1, maxLength: 6 });
const scalar = fc.oneof(fc.integer(), fc.boolean(), text, fc.constant(null));
/** Any whitespace between JSON tokens. */
const space = fc.constantFrom('', ' ', '\n  ', '\t');
const memberName = text.filter((name) => name !== '__proto__');
const names = fc.array(memberName, { maxLength: 3 });

/** Nests the list under these names, with other members beside it at every level. */
function under(path: readonly string[], list: unknown, beside: Record<string, unknown>): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return list;
  return { ...beside, [name]: under(rest, list, beside) };
}

describe('the model list', () => {
  it('is found in any wrapper, under any name', () => {
    const beside = fc.dictionary(text, scalar);
    fc.assert(
      fc.property(models, names, beside, (list, path, others) => {
        const json: unknown = JSON.parse(JSON.stringify(under(path, list, others)));
        expect(readModelList(json)).toEqual({
          models: JSON.parse(JSON.stringify(list)),
          path,
          odd: 0,
        });
      }),
    );
  });

  it('is the array whose objects are models, where several arrays are candidates', () => {
    const json = { providers: [{ id: 'acme' }], models: [{ id: 'acme/large', object: 'model' }] };
    expect(readModelList(json)?.path).toEqual(['models']);
  });

  it.each([
    [[], []],
    [{ data: [] }, ['data']],
    [{ result: { items: [] }, ok: true }, ['result', 'items']],
  ])('may be empty: %j', (json, path) => {
    expect(readModelList(json)).toEqual({ models: [], path, odd: 0 });
  });

  it('keeps its models beside invalid entries, which are counted', () => {
    const odd = [null, 7, 'b', [], {}, { id: '' }, { id: 5 }];
    const json = { data: [odd[0], { id: 'a' }, ...odd.slice(1), { id: 'c' }] };
    const valid = [{ id: 'a' }, { id: 'c' }];
    expect(readModelList(json)).toEqual({ models: valid, path: ['data'], odd: odd.length });
    expect(readModelList({ errors: ['x', { id: 'e' }], models: valid })?.path).toEqual(['models']);
  });

  it.each([
    null,
    'models',
    {},
    { a: [], b: [] },
    { data: [{ name: 'no id' }] },
    { data: [{ id: '' }] },
    { error: { message: 'no', code: 'invalid_api_key' } },
    { id: 'acme/large', object: 'model', tags: [] },
    { id: 'acme/large', object: 'model', permission: [{ id: 'p-1' }] },
    { data: { id: 'acme/large', object: 'model', tags: [] } },
  ])('is not found in a body without one: %j', (json) => {
    expect(readModelList(json)).toBeNull();
  });
});

describe('wrapping', () => {
  it('leaves a correctly wrapped list unchanged, byte for byte', () => {
    const body = '{ "object": "list",\n "data": [ {"id":"a"} ], "first_id": "a" }';
    expect(wrap(body)).toEqual({ body, changed: false });
  });

  it.each([
    ['[{"id":"a"}]', '{"object":"list","data":[{"id":"a"}]}'],
    ['{"data":[{"id":"a"}]}', '{"object":"list","data":[{"id":"a"}]}'],
    [
      '{"models":[ {"id":"a"} ],"total": 1.0}',
      '{"object":"list","data":[ {"id":"a"} ],"total":1.0}',
    ],
    [
      '{"object":"page","data":{"items":[{"id":"a"}],"n":1},"next":{"a":[1, 2]}}',
      '{"object":"list","data":[{"id":"a"}],"next":{"a":[1, 2]},"n":1}',
    ],
    [
      '{"ok":true,"n":1,"result":{"items":[{"id":"a"}],"next_page": 2.0,"n":2}}',
      '{"object":"list","data":[{"id":"a"}],"ok":true,"n":2,"next_page":2.0}',
    ],
    [
      '{"m":{"m":[{"id":"old"}],"lost":1},"m":{"m":[{"id":"new"}],"kept":[{}]}}',
      '{"object":"list","data":[{"id":"new"}],"kept":[{}]}',
    ],
    ['{"models":[]}', '{"object":"list","data":[]}'],
    ['{"m":[{"id":"old"}],"m":[{"id":"new"}]}', '{"object":"list","data":[{"id":"new"}]}'],
  ])('turns %s into %s', (before, after) => {
    expect(wrap(before)).toEqual({ body: after, changed: true });
  });

  it.each(['', 'not json', '{"error":{"message":"no"}}', '{"data":[{"id":1}]}'])(
    'does not apply to %j',
    (body) => {
      expect(wrap(body)).toBeNull();
    },
  );

  it('does not apply to bytes that are not UTF-8', () => {
    const body = Buffer.concat([Buffer.from('[{"id":"'), Buffer.of(0xff), Buffer.from('"}]')]);
    expect(wrapModelList(body)).toBeNull();
  });

  it('keeps every model byte for byte, in any spelling', () => {
    fc.assert(
      fc.property(models, names, space, (list, path, gap) => {
        const written = list.map((one) => `${gap}${JSON.stringify(one, null, gap)}${gap}`);
        const array = `[${written.join(',')}]`;
        const body = path.reduceRight(
          (inner, name) => `{${gap}${JSON.stringify(name)}${gap}:${gap}${inner}${gap}}`,
          array,
        );
        const wrapped = wrap(body);
        expect(wrapped?.body).toContain(array);
        const json: unknown = JSON.parse(wrapped?.body ?? '');
        expect(json).toMatchObject({ object: 'list', data: JSON.parse(array) });
      }),
    );
  });

  it('keeps the members beside the list or a wrapper of it', () => {
    const besides = fc.array(fc.dictionary(memberName, scalar), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(models, names, besides, (list, path, levels) => {
        const nested = path.reduceRight<unknown>(
          (inner, name, i) => ({ ...levels[i], [name]: inner }),
          list,
        );
        const written: unknown = JSON.parse(wrap(JSON.stringify(nested))?.body ?? '');
        path.forEach((name, i) => {
          for (const [key, value] of Object.entries(levels[i] ?? {})) {
            const given = levels.slice(i + 1, path.length).some((level) => key in level);
            if ([name, 'object', 'data'].includes(key) || given) continue;
            expect(written).toHaveProperty([key], JSON.parse(JSON.stringify(value)));
          }
        });
      }),
    );
  });

  it('does not change its own result', () => {
    fc.assert(
      fc.property(models, names, (list, path) => {
        const once = wrap(JSON.stringify(under(path, list, { extra: 1 })));
        expect(wrap(once?.body ?? '')).toEqual({ body: once?.body, changed: false });
      }),
    );
  });
});
