import { describe, expect, test } from 'vitest';
import { readOrder, type SentBody } from './read-order.ts';

const JSON_TYPE = 'application/json';

async function identityOf(bytes: string | Buffer, more: Partial<SentBody> = {}): Promise<string> {
  const body = { bytes: Buffer.from(bytes), contentType: JSON_TYPE, path: '', ...more };
  return (await readOrder(body)).identity;
}

function file(content: string, name = 'cat.png'): File {
  return new File([content], name);
}

async function formOf(fields: readonly (readonly [name: string, value: string | File])[]) {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  const written = new Response(form);
  const contentType = written.headers.get('content-type') ?? '';
  return { bytes: Buffer.from(await written.arrayBuffer()), contentType, path: '' };
}

async function formIdentity(fields: Parameters<typeof formOf>[0]): Promise<string> {
  return (await readOrder(await formOf(fields))).identity;
}

describe('An order in JSON', () => {
  const text = '{"prompt":"Ein Fuchs läuft 🦊"}';
  const utf16le = Buffer.from(text, 'utf16le');

  test.for([
    ['a byte order mark', Buffer.from(`\ufeff${text}`), JSON_TYPE],
    ['UTF-16 with its mark', Buffer.from(`\ufeff${text}`, 'utf16le'), JSON_TYPE],
    ['UTF-16 without a mark', utf16le, JSON_TYPE],
    ['the other UTF-16', Buffer.from(utf16le).swap16(), JSON_TYPE],
    ['no content type', Buffer.from(text), ''],
    ['a charset nobody knows', Buffer.from(text), `${JSON_TYPE}; charset=klingon`],
  ] as const)('is the same in %s', async ([, bytes, contentType]) => {
    expect(await identityOf(bytes, { contentType })).toBe(await identityOf(text));
  });

  test('is decoded with the charset that it names', async () => {
    const latin1 = Buffer.from('{"prompt":"läuft"}', 'latin1');
    const contentType = `${JSON_TYPE}; charset="ISO-8859-1"`;
    expect(await identityOf(latin1, { contentType })).toBe(await identityOf('{"prompt":"läuft"}'));
  });

  test('differs from an equal order with another path', async () => {
    const places = ['', '/task-1/remix', '/task-2/remix'];
    const all = await Promise.all(places.map((path) => identityOf(text, { path })));
    expect(new Set(all).size).toBe(places.length);
  });

  test('differs from an empty body and from a form', async () => {
    const form = await formIdentity([['prompt', 'Ein Fuchs läuft 🦊']]);
    expect(new Set([form, await identityOf(''), await identityOf(text)]).size).toBe(3);
  });

  test.for([
    ['{"seconds":NaN}', JSON_TYPE],
    ['{"seconds":4,}', JSON_TYPE],
    ['{"seconds":', JSON_TYPE],
    ["{'seconds':4}", JSON_TYPE],
    ['model=h3&prompt=cat', 'application/x-www-form-urlencoded'],
    ['<order/>', 'application/xml'],
    ['{"a":1}{"a":2}', JSON_TYPE],
  ])('that cannot be parsed is rejected: %s', async ([body = '', contentType = '']) => {
    await expect(identityOf(body, { contentType })).rejects.toMatchObject({
      code: 'undecodable_body',
      message: expect.stringMatching(/cannot be read: its body is not JSON \(.+\)\..*not sent/u),
    });
  });

  test.for([
    ['a zero byte', Buffer.from([0]), JSON_TYPE],
    ['half a letter of UTF-8', Buffer.from([0x22, 0xc3, 0x22]), JSON_TYPE],
    ['half a letter of UTF-16', Buffer.from([0xff, 0xfe, 0x22, 0x00, 0x00, 0xd8]), JSON_TYPE],
  ] as const)('is refused with %s', async ([, bytes, contentType]) => {
    await expect(identityOf(bytes, { contentType })).rejects.toMatchObject({
      code: 'undecodable_body',
      message: expect.stringContaining('is not valid UTF-'),
    });
  });

  test('is rejected without its content being quoted', async () => {
    const secret = identityOf('{"prompt":"a secret wish",}');
    await expect(secret).rejects.toMatchObject({ message: expect.not.stringContaining('wish') });
    const start = identityOf('a secret wish');
    await expect(start).rejects.toMatchObject({ message: expect.not.stringContaining('wish') });
  });
});

describe('An order by a form', () => {
  test('is equal with another boundary, another order of fields and another file name', async () => {
    expect(
      await formIdentity([
        ['model', 'h3'],
        ['file', file('x')],
      ]),
    ).toBe(
      await formIdentity([
        ['file', file('x', 'other.png')],
        ['model', 'h3'],
      ]),
    );
  });

  test.for([
    [[['a', '1']], [['a', '2']]],
    [[['a', '1']], [['b', '1']]],
    [
      [
        ['a', '1'],
        ['a', '2'],
      ],
      [
        ['a', '2'],
        ['a', '1'],
      ],
    ],
    [
      [
        ['a', '1'],
        ['b', '2'],
      ],
      [['a', '1,b,2']],
    ],
    [
      [
        ['a[][x]', '1'],
        ['a[][y]', '2'],
        ['a[][x]', '3'],
      ],
      [
        ['a[][x]', '1'],
        ['a[][x]', '3'],
        ['a[][y]', '2'],
      ],
    ],
  ] as const)('is another one when it says something else: %j and %j', async ([one, other]) => {
    expect(await formIdentity(one)).not.toBe(await formIdentity(other));
  });

  test('differs with another file, or with a text in place of the file', async () => {
    const { form } = await readOrder(await formOf([['file', file('x')]]));
    const value = form?.[0]?.value;
    const hash = typeof value === 'string' ? value : (value?.sha256 ?? '');
    const all = await Promise.all([
      formIdentity([['file', file('x')]]),
      formIdentity([['file', file('y')]]),
      formIdentity([['file', hash]]),
    ]);
    expect(new Set(all).size).toBe(3);
  });

  test('is described by its fields', async () => {
    const { shown } = await readOrder(
      await formOf([
        ['model', 'h3'],
        ['c[][url]', 'u'],
        ['f', file('x')],
      ]),
    );
    expect(JSON.parse(shown.toString())).toEqual({ model: 'h3', c: [{ url: 'u' }] });
  });
});

test('the content of files is not part of the text of a form', async () => {
  const { form } = await readOrder(
    await formOf([
      ['prompt', 'A fox'],
      ['input_reference', file('x'.repeat(5 * 1024 * 1024))],
    ]),
  );
  expect(form).toHaveLength(2);
});
