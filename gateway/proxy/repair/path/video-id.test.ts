import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { addVideoId } from './video-id.ts';

test.for([
  ['{"task_id":"t"}', '{"id":"t","task_id":"t"}'],
  [' {\n  "a": 1\n}\n', ' {"id":"t",\n  "a": 1\n}\n'],
  ['{}', '{"id":"t"}'],
  ['\ufeff{"a":{"id":1}}', '\ufeff{"id":"t","a":{"id":1}}'],
])('%j becomes %j', ([before, after]) => {
  expect(addVideoId(Buffer.from(before ?? ''), 't')?.toString()).toBe(after);
});

test.for(['{"id":"x"}', '{"id":null}', '[1]', '"text"', '{"a":', '', '<html>'])(
  '%j stays as it is',
  (body) => {
    expect(addVideoId(Buffer.from(body), 't')).toBeNull();
  },
);

test('nothing but the identifier is new', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (object, id) => {
      fc.pre(!Object.hasOwn(object, 'id') && !Object.hasOwn(object, '__proto__'));
      const added: unknown = JSON.parse(
        addVideoId(Buffer.from(JSON.stringify(object)), id)?.toString() ?? '',
      );
      expect(added).toEqual({ id, ...JSON.parse(JSON.stringify(object)) });
    }),
  );
});
