import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseErrorMessage, suggestModels } from './inspect-response.ts';

describe('The code of an error', () => {
  test.each([
    ['{"error":{"message":"m","type":"t","code":"c"}}', 'c'],
    ['{"error":{"message":"m","type":"t","code":null}}', 't'],
    ['{"error":{"message":"m","type":"t","code":1234}}', '1234'],
    ['{"error":{"message":"m","code":0}}', '0'],
    ['{"error":{"message":"m","type":"t"}}', 't'],
    ['{"type":"error","error":{"type":"t","message":"m"}}', 't'],
    ['{"error":{"message":"m"}}', null],
    ['{"error":"m"}', null],
    ['{"error":{"code":"c"}}', null],
    ['{}', null],
    ['null', null],
    ['[]', null],
    ['<html>', null],
    ['', null],
  ])('of %s is %s', (body, expected) => {
    expect(parseErrorMessage(Buffer.from(body)).code).toBe(expected);
  });

  test('is searched in any bytes without throwing', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(parseErrorMessage(Buffer.from(bytes))).toEqual({ code: null, message: null });
      }),
    );
  });
});

describe('A suggestion', () => {
  const BODY =
    '{ "x": 1.0, "error" : {"message" :"No \\u0022m\\u0022.", "code":"model_not_found"} }\n';

  test('is added to the message, and every other byte is unchanged', () => {
    const suggested = suggestModels(Buffer.from(BODY), 'm', ['a/m', 'b/m']);
    const text = suggested?.bytes.toString() ?? '';
    const message = 'No "m". Did you mean "a/m", "b/m"?';
    expect(text).toBe(BODY.replace('"No \\u0022m\\u0022."', JSON.stringify(message)));
    expect(suggested?.repair).toMatchObject({ code: 'model-suggestion', after: 'a/m, b/m' });
  });

  test('is not added without a model or without a message', () => {
    expect(suggestModels(Buffer.from(BODY), 'm', [])).toBeNull();
    for (const body of ['', '<html>', '{}', '{"error":"x"}', '{"error":{"message":7}}']) {
      expect(suggestModels(Buffer.from(body), 'm', ['a'])).toBeNull();
    }
  });

  test('leaves valid JSON for any message and models', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.string({ unit: 'grapheme' }),
        (message, id) => {
          const body = JSON.stringify({ error: { message, code: 'model_not_found' }, rest: [1] });
          const bytes = suggestModels(Buffer.from(body), 'm', [id])?.bytes;
          expect(JSON.parse(bytes?.toString() ?? '')).toEqual({
            error: { message: `${message} Did you mean "${id}"?`, code: 'model_not_found' },
            rest: [1],
          });
        },
      ),
    );
  });
});
