import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FormParts } from './form-parts.ts';

const BOUNDARY = 'abc';

/** Repairs a form that arrives in chunks which end at these offsets. */
function repair(form: Buffer, cuts: readonly number[] = []): Buffer {
  const parts = new FormParts({ boundary: BOUNDARY, rename: true, onChange: () => undefined });
  const ends = [...cuts.map((cut) => cut % (form.length + 1)), form.length].toSorted(
    (a, b) => a - b,
  );
  const chunks = ends.map((end, index) => parts.push(form.subarray(ends[index - 1] ?? 0, end)));
  return Buffer.concat([...chunks, parts.end()]);
}

function part(disposition: string, content: string): string {
  return `--abc\r\nContent-Disposition: ${disposition}\r\n\r\n${content}\r\n`;
}

const FORM = Buffer.from(
  `${part('attachment; name="purpose"', 'a --abc b\r\n--ab')}${part('form-data; name="files[]"; filename="a.png"', '\r\n\0\xff--abc')}${part('form-data; name="image"; filename="b"', 'Content-Disposition: attachment; name="x"')}--abc--\r\nafter --abc`,
  'latin1',
);
const REPAIRED = FORM.toString('latin1')
  .replace(': attachment', ':  form-data')
  .replace(': form-data; name="files[]"', ':    form-data; name="file"');

describe('FormParts repairs the heads of a form’s parts', () => {
  test('the length and contents of the form stay', () => {
    expect(repair(FORM).toString('latin1')).toBe(REPAIRED);
    expect(repair(FORM)).toHaveLength(FORM.length);
  });

  test('the result is the same wherever the form is split into chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 8 }), (cuts) => {
        expect(repair(FORM, cuts).toString('latin1')).toBe(REPAIRED);
      }),
      { numRuns: 2000 },
    );
  });

  test('the result is the same when every byte arrives alone', () => {
    const every = Array.from({ length: FORM.length }, (_, index) => index);
    expect(repair(FORM, every).toString('latin1')).toBe(REPAIRED);
  });
});

test('parts after the first 500 are not changed', () => {
  const changes: string[] = [];
  const parts = new FormParts({
    boundary: BOUNDARY,
    rename: true,
    onChange: ({ after }) => changes.push(after),
  });
  const form = Buffer.from(part('attachment; name="a"', 'x').repeat(600));
  const sent = Buffer.concat([parts.push(form), parts.push(form), parts.end()]).toString();
  expect(changes).toHaveLength(500);
  expect(sent.split('attachment')).toHaveLength(701);
});

describe('FormParts passes other bytes unchanged', () => {
  test('arbitrary bytes in arbitrary chunks are not changed', () => {
    const near = fc.array(fc.constantFrom('--abc', '\r\n', '--', 'x', ': ', '\0'), {
      maxLength: 40,
    });
    const bytes = fc.oneof(
      fc.uint8Array(),
      near.map((words) => Buffer.from(words.join(''))),
    );
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(), { maxLength: 5 }), (body, cuts) => {
        const form = Buffer.from(body);
        expect(repair(form, cuts).equals(form)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test('a head that does not end is not changed', () => {
    const endless = Buffer.from(
      `--abc\r\nContent-Disposition: attachment; name="a"${'x'.repeat(20_000)}`,
    );
    expect(repair(endless, [10, 9000, 9001]).equals(endless)).toBe(true);
  });

  test('a wrong name is kept next to a file with the right name, and in a text field', () => {
    const right = Buffer.from(
      `${part('form-data; name="image"', 'x')}${part('form-data; name="file"; filename="a"', 'y')}${part('form-data; name="image"; filename="a"', 'z')}--abc--`,
    );
    expect(repair(right).equals(right)).toBe(true);
  });
});

test.each([
  ['data', 'form-data; name="data"; filename="a"', ' form-data; name="file"; filename="a"'],
  ['no name', 'form-data; name=""; filename="a"', 'form-data;name=file; filename="a"'],
])('a file with %s is renamed, and the length stays', (_name, sent, wanted) => {
  const form = `--abc\r\nContent-Disposition: ${sent}\r\n\r\nx\r\n--abc--`;
  const repaired = repair(Buffer.from(form)).toString();
  expect(repaired).toBe(`--abc\r\nContent-Disposition:${wanted}\r\n\r\nx\r\n--abc--`);
  expect(repaired).toHaveLength(form.length);
});
