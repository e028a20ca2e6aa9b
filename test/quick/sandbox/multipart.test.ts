import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { MultipartParser } from '../../../sandbox/http/multipart.ts';

const TYPE = 'multipart/form-data; boundary=seam';

function read(form: Buffer | string, cuts: readonly number[] = [], type = TYPE) {
  const bytes = Buffer.from(form);
  const reader = new MultipartParser(type);
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length];
  places.sort((a, b) => a - b);
  places.slice(1).forEach((end, n) => reader.add(bytes.subarray(places[n], end)));
  return reader.finish();
}

function formOf(content: Buffer): Buffer {
  const head =
    '--seam\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nuser_data\r\n' +
    '--seam\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n';
  return Buffer.concat([Buffer.from(head), content, Buffer.from('\r\n--seam--\r\n')]);
}

test('a file is parsed completely for any content and any chunks', () => {
  const part = fc.constantFrom('\r\n', '--', '\r\n--sea', '\r', 'seam', '\0', 'ü');
  const content = fc.array(part, { maxLength: 30 }).map((parts) => Buffer.from(parts.join('')));
  const clean = content.filter((bytes) => !bytes.includes('\r\n--seam'));
  fc.assert(
    fc.property(clean, fc.array(fc.nat(), { maxLength: 40 }), (bytes, cuts) => {
      const file = read(formOf(bytes), cuts);
      expect(file.bytes?.equals(bytes)).toBe(true);
      expect([file.name, file.type, file.size]).toEqual(['a.png', 'image/png', bytes.length]);
    }),
  );
});

const PART = 'Content-Disposition: form-data; name="file"; filename="a"\r\n\r\nx\r\n';

test.for([
  ['nothing', ''],
  ['no closing delimiter', `--seam\r\n${PART}`],
  ['no part named file', '--seam\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n--seam--'],
  ['two files', `--seam\r\n${PART}--seam\r\n${PART}--seam--`],
  ['a part without a disposition', '--seam\r\nX: y\r\n\r\nx\r\n--seam--'],
  ['a file without a name', `--seam\r\n${PART.replace('; filename="a"', '')}--seam--`],
  ['another boundary', `--other\r\n${PART}--other--`],
  ['a delimiter with a tail', `--seam!\r\n${PART}--seam--`],
])('a form with %s is refused', ([, form = '']) => {
  expect(() => read(form)).toThrow();
});

test.for(['application/json', 'multipart/form-data', 'multipart/form-data; boundary='])(
  'the content type "%s" is refused',
  (type) => {
    expect(() => read(formOf(Buffer.from('x')), [], type)).toThrow('boundary');
  },
);
