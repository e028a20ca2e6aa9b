import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ByteChunks } from '../../../lib/byte-chunks.ts';
import {
  addVideoId,
  changeModel,
  promptToMessages,
  readBody,
  removeStreamOptions,
  secondsToString,
} from './body.ts';
import { applyChanges } from './text-change.ts';

function edited(edit: (body: Buffer) => Buffer, text: string): string {
  return edit(Buffer.from(text)).toString();
}

/** Replaces the model, and sets the effort unless it is `null`. */
function setModel(
  body: Buffer,
  model: string,
  effort: Parameters<typeof changeModel>[2]['effort'] = null,
): Buffer {
  const facts = readBody(body);
  if (facts instanceof Promise || facts.places === null) return body;
  const changed = applyChanges(body, changeModel(body, facts.places, { model, effort }));
  return changed instanceof ByteChunks ? changed.slice(0, changed.length) : changed;
}

const toOtherModel = (body: Buffer): Buffer => setModel(body, 'acme/one');
const EDITS = [toOtherModel, promptToMessages, secondsToString, removeStreamOptions];

describe('readBody extracts the facts of a JSON body', () => {
  test('all members that matter are extracted', async () => {
    const body = Buffer.from(
      '{"model":"a","stream":true,"stream_options":{},"prompt_cache_key":"c","prompt":"p","seconds":4,"max_tokens":9}',
    );
    expect(await readBody(body)).toEqual({
      parsed: true,
      model: 'a',
      places: {
        model: { start: 9, end: 12 },
        reasoning: null,
        reasoning_effort: null,
        diagnostics: null,
        prompt_cache_options: null,
        hasTools: false,
        end: 109,
      },
      stream: true,
      hasStreamOptions: true,
      usageRequest: { start: 44, end: 46, text: '{"include_usage":true}' },
      maxOutput: 9,
      promptCacheKey: 'c',
      senderMembers: null,
      promptOnly: true,
      secondsNumber: 4,
    });
  });

  test.each([
    ['[]', false],
    ['[ \n ]', false],
    ['[{}]', true],
    [`[${' '.repeat(100)}{}]`, true],
  ])('whether there are tools in %j: %s', async (tools, hasTools) => {
    const { places } = await readBody(Buffer.from(`{"model":"a","tools":${tools}}`));
    expect(places?.hasTools).toBe(hasTools);
  });

  test.each(['', '{', 'null', '[]', '"x"', '4', '{"model":"a"}x', '{"model":undefined}', '\u0000'])(
    'no facts are found in %j',
    async (text) => {
      expect(await readBody(Buffer.from(text))).toEqual({
        parsed: false,
        model: null,
        places: null,
        stream: false,
        hasStreamOptions: false,
        usageRequest: null,
        maxOutput: null,
        promptCacheKey: null,
        senderMembers: null,
        promptOnly: false,
        secondsNumber: null,
      });
    },
  );

  test('members of the wrong type are ignored', async () => {
    const body = Buffer.from(
      '{"model":1,"stream":"true","prompt":["p"],"seconds":"4","prompt_cache_key":""}',
    );
    expect(await readBody(body)).toMatchObject({
      parsed: true,
      model: null,
      stream: false,
      promptCacheKey: null,
      promptOnly: false,
      secondsNumber: null,
    });
  });

  test('a prompt next to messages is not a legacy prompt', async () => {
    expect((await readBody(Buffer.from('{"prompt":"p","messages":[]}'))).promptOnly).toBe(false);
  });

  test('the last of two members with the same name counts', async () => {
    expect((await readBody(Buffer.from('{"model":"a","model":"b"}'))).model).toBe('b');
  });

  test('a byte order mark, escapes, deep nesting and invalid UTF-8 are accepted', async () => {
    expect((await readBody(Buffer.from('\uFEFF{"model":"a"}'))).model).toBe('a');
    expect((await readBody(Buffer.from('{"\\u006dodel":"\\u0061"}'))).model).toBe('a');
    const deep = '['.repeat(500) + ']'.repeat(500);
    expect((await readBody(Buffer.from(`{"x":${deep},"model":"a"}`))).model).toBe('a');
    const broken = Buffer.concat([
      Buffer.from('{"x":"'),
      Buffer.from([0xff]),
      Buffer.from('","model":"a"}'),
    ]);
    expect((await readBody(broken)).model).toBe('a');
  });

  test('what says whose request it is is parsed, but for values that are too long', async () => {
    const members = { metadata: { user_id: 'u' }, session_id: 's', conversation: { id: 'c' } };
    const body = { ...members, client_metadata: { a: 'x'.repeat(20_000) }, messages: [] };
    expect((await readBody(Buffer.from(JSON.stringify(body)))).senderMembers).toEqual(members);
  });

  test('a long cache key is truncated', async () => {
    const body = Buffer.from(JSON.stringify({ prompt_cache_key: 'k'.repeat(1000) }));
    expect((await readBody(body)).promptCacheKey).toHaveLength(200);
  });
});

describe('changeModel replaces the model and nothing else', () => {
  test.each([
    ['{"model":"one"}', '{"model":"acme/one"}'],
    ['{ "model" : "one" , "n":1.0 }', '{ "model" : "acme/one" , "n":1.0 }'],
    ['{"a":{"model":"x"},"model":"one"}', '{"a":{"model":"x"},"model":"acme/one"}'],
    ['{"a":"\\"model\\":","model":"one\\""}', '{"a":"\\"model\\":","model":"acme/one"}'],
    ['{"model":"a","model":"b"}', '{"model":"a","model":"acme/one"}'],
    ['{"\\u006dodel":"x"}', '{"\\u006dodel":"acme/one"}'],
    ['\uFEFF{"model":"x"}', '\uFEFF{"model":"acme/one"}'],
    [
      '{"n":123456789012345678901234567890,"model":"x"}',
      '{"n":123456789012345678901234567890,"model":"acme/one"}',
    ],
    ['{"model":null}', '{"model":"acme/one"}'],
    ['{"other":"x"}', '{"other":"x"}'],
    ['{"list":["model"],"x":{"model":1}}', '{"list":["model"],"x":{"model":1}}'],
  ])('%s → %s', (before, after) => {
    expect(edited(toOtherModel, before)).toBe(after);
  });

  test('an id is written as JSON, whatever it contains', async () => {
    const body = setModel(Buffer.from('{"model":"x"}'), 'a"b\\ü');
    expect((await readBody(body)).model).toBe('a"b\\ü');
  });

  test('bytes that are not UTF-8 are not changed', () => {
    const bad = Buffer.from([0x22, 0xff, 0xc3, 0x22]);
    const body = Buffer.concat([
      Buffer.from('{"x":'),
      bad,
      Buffer.from(',"model":"m","y":'),
      bad,
      Buffer.from('}'),
    ]);
    const after = Buffer.concat([
      Buffer.from('{"x":'),
      bad,
      Buffer.from(',"model":"acme/one","y":'),
      bad,
      Buffer.from('}'),
    ]);
    expect(toOtherModel(body)).toEqual(after);
  });

  test('a model after 500 nested lists is replaced', () => {
    const deep = '['.repeat(500) + ']'.repeat(500);
    expect(edited(toOtherModel, `{"x":${deep},"model":"m"}`)).toBe(
      `{"x":${deep},"model":"acme/one"}`,
    );
  });
});

describe('changeModel sets the effort where the protocol has it', () => {
  test.each([
    ['chat', '{"model":"x"}', '{"model":"y","reasoning_effort":"low"}'],
    [
      'chat',
      '{"reasoning_effort":"high", "model":"x" }',
      '{"reasoning_effort":"low", "model":"y" }',
    ],
    ['responses', '{"model":"x","n":1}', '{"model":"y","n":1,"reasoning":{"effort":"low"}}'],
    [
      'responses',
      '{"reasoning":{"effort":"high","summary":"auto"},"model":"x"}',
      '{"reasoning":{"effort":"low","summary":"auto"},"model":"y"}',
    ],
    ['responses', '{"reasoning":null,"model":"x"}', '{"reasoning":{"effort":"low"},"model":"y"}'],
  ] as const)('%s: %s → %s', (protocol, before, after) => {
    const changed = setModel(Buffer.from(before), 'y', { protocol, value: 'low' });
    expect(changed.toString()).toBe(after);
    expect(setModel(changed, 'y', { protocol, value: 'low' }).toString()).toBe(after);
  });
});

describe('promptToMessages turns a legacy prompt into a message', () => {
  test.each([
    ['{"prompt":"hi"}', '{"messages":[{"role":"user","content":"hi"}]}'],
    [
      '{"model":"m", "prompt" : "a\\u00fc\\n\\"b" ,"n":1}',
      '{"model":"m", "messages":[{"role":"user","content":"a\\u00fc\\n\\"b"}] ,"n":1}',
    ],
    ['{"x":1}', '{"x":1}'],
  ])('%s → %s', (before, after) => {
    expect(edited(promptToMessages, before)).toBe(after);
  });
});

describe('secondsToString turns numeric seconds into a string', () => {
  test.each([
    ['{"seconds":4}', '{"seconds":"4"}'],
    ['{ "seconds" : 4.0 , "x":1}', '{ "seconds" : "4" , "x":1}'],
    ['{"seconds":1e1}', '{"seconds":"10"}'],
    ['{"x":{"seconds":4}}', '{"x":{"seconds":4}}'],
    ['{"seconds":1e999}', '{"seconds":1e999}'],
  ])('%s → %s', (before, after) => {
    expect(edited(secondsToString, before)).toBe(after);
  });
});

describe('removeStreamOptions removes the member', () => {
  test.each([
    ['{"stream_options":{"include_usage":true}}', '{}'],
    ['{ "stream_options" : {} }', '{  }'],
    ['{"a":1,"stream_options":{}}', '{"a":1}'],
    ['{"a":1 , "stream_options":{} }', '{"a":1 }'],
    ['{"stream_options":{}, "a":1}', '{"a":1}'],
    ['{"a":1,"stream_options":{"x":[1,{"y":","}]},"b":2}', '{"a":1,"b":2}'],
    ['{"stream_options":1,"a":1,"stream_options":2,"b":2,"stream_options":3}', '{"a":1,"b":2}'],
    ['{"a":1,"stream_options":1,"stream_options":2}', '{"a":1}'],
    ['{"stream_options":1,"stream_options":2}', '{}'],
    ['{"a":{"stream_options":1}}', '{"a":{"stream_options":1}}'],
  ])('%s → %s', (before, after) => {
    expect(edited(removeStreamOptions, before)).toBe(after);
  });
});

// Parts of JSON objects that have one edited member among others, with spaces and escapes everywhere.
const space = fc.stringMatching(/^[ \t\r\n]{0,2}$/);
const value = fc.oneof(
  fc.jsonValue().map((json) => JSON.stringify(json)),
  fc.jsonValue().map((json) => JSON.stringify(json, null, 2)),
  fc.constantFrom(
    '1.0',
    '-0',
    '1e400',
    '12345678901234567890123',
    '"\\u0000\\ud800"',
    '{"model":"x","prompt":1}',
  ),
);
const filler = fc
  .tuple(
    fc.string().filter((key) => !/^(?:model|prompt|seconds|stream_options|messages)$/u.test(key)),
    value,
    space,
  )
  .map(([key, json, gap]) => `${gap}${JSON.stringify(key)}${gap}:${gap}${json}${gap}`);
const fillers = fc.array(filler, { maxLength: 4 });

function object(before: readonly string[], member: string, after: readonly string[]): string {
  return `{${[...before, member, ...after].join(',')}}`;
}

describe('edits with arbitrary members around the edited one', () => {
  test('every byte outside of the edited member stays', () => {
    fc.assert(
      fc.property(fc.tuple(fillers, fillers), fc.string(), space, ([before, after], text, gap) => {
        const json = JSON.stringify(text);
        const around = (member: string): string => object(before, `${gap}${member}${gap}`, after);
        expect(edited(toOtherModel, around(`"model"${gap}:${json}`))).toBe(
          around(`"model"${gap}:"acme/one"`),
        );
        expect(edited(secondsToString, around(`"seconds":${gap}12`))).toBe(
          around(`"seconds":${gap}"12"`),
        );
        expect(edited(promptToMessages, around(`"prompt":${gap}${json}`))).toBe(
          around(`"messages":[{"role":"user","content":${json}}]`),
        );
      }),
    );
  });

  test('the body without stream_options has the same other members', () => {
    fc.assert(
      fc.property(fillers, fillers, value, (before, after, json) => {
        const body = object(before, `"stream_options":${json}`, after);
        const expected: unknown = JSON.parse(`{${[...before, ...after].join(',')}}`);
        expect(JSON.parse(edited(removeStreamOptions, body))).toEqual(expected);
      }),
    );
  });

  test('no edit throws on any input, and a body without the member is returned uncopied', async () => {
    const bytes = fc.oneof(
      fc.uint8Array(),
      fc
        .string({ unit: fc.constantFrom(...'{}[]",:\\ a1'.split(''), '"model"', '"prompt":') })
        .map((text) => Buffer.from(`{${text}`)),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (array) => {
        const body = Buffer.from(array);
        await readBody(body);
        for (const edit of EDITS) {
          expect(() => edit(body)).not.toThrow();
          if (!/model|prompt/u.test(body.toString('latin1'))) expect(edit(body)).toBe(body);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('a large body is edited in less than quadratic time', () => {
    const image = 'A'.repeat(8 * 1024 * 1024);
    for (const filling of [
      `"${image}"`,
      `"${'\\"'.repeat(1_000_000)}"`,
      `"${'\\\\'.repeat(1_000_000)}"`,
    ]) {
      for (const edit of EDITS) edit(Buffer.from(`{"x":${filling},"model":"m"}`));
    }
  });
});

describe('addVideoId adds the id of a task to a response body', () => {
  test.for([
    ['{"task_id":"t"}', '{"id":"t","task_id":"t"}'],
    [' {\n  "a": 1\n}\n', ' {"id":"t",\n  "a": 1\n}\n'],
    ['{}', '{"id":"t"}'],
    ['\ufeff{"a":{"id":1}}', '\ufeff{"id":"t","a":{"id":1}}'],
  ])('%j gets the id: %j', ([before, after]) => {
    expect(addVideoId(Buffer.from(before ?? ''), 't')?.toString()).toBe(after);
  });

  test.for(['{"id":"x"}', '{"id":null}', '[1]', '"text"', '{"a":', '', '<html>'])(
    '%j is not changed',
    (body) => {
      expect(addVideoId(Buffer.from(body), 't')).toBeNull();
    },
  );

  test('nothing but the id is added', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (members, id) => {
        fc.pre(!Object.hasOwn(members, 'id') && !Object.hasOwn(members, '__proto__'));
        const added: unknown = JSON.parse(
          addVideoId(Buffer.from(JSON.stringify(members)), id)?.toString() ?? '',
        );
        expect(added).toEqual({ id, ...JSON.parse(JSON.stringify(members)) });
      }),
    );
  });
});
