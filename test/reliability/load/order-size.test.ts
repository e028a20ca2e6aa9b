import { describe, expect, test } from 'vitest';
import { sendRequest } from '../../kit/gateway/request.ts';
import { startScriptedHarness } from '../../kit/gateway/scripted-harness.ts';
import { postTargets } from '../../kit/videos/video-order.ts';

const MIB = 1024 * 1024;
const FORM = 'multipart/form-data; boundary=b';
const HEAD = 'Content-Disposition: form-data; name="prompt"';

function formOf(content: Buffer | string, head = HEAD): Buffer {
  const start = Buffer.from(`--b\r\n${head}\r\n\r\n`);
  return Buffer.concat([start, Buffer.from(content), Buffer.from('\r\n--b--\r\n')]);
}

/** Creates a body that is a file with one boundary and text with the other. */
function formWithTwoBoundaries(): Buffer {
  const file = `--a\r\n${HEAD}; filename="x"\r\n\r\n`;
  return formOf(Buffer.concat([Buffer.from(file), Buffer.alloc(5 * MIB, 'x')]));
}

const LONG: readonly (readonly [name: string, type: string, body: Buffer])[] = [
  ['line ends in a field', FORM, formOf(Buffer.alloc(40 * MIB, '\r\n'))],
  ['carriage returns in a field', FORM, formOf(Buffer.alloc(40 * MIB, '\r'))],
  ['bytes that are no UTF-8 in a field', FORM, formOf(Buffer.alloc(40 * MIB, 0xff))],
  ['almost boundaries in a field', FORM, formOf(Buffer.alloc(40 * MIB, '\r\n--c'))],
  [
    'a field that is called like a file',
    FORM,
    formOf(
      Buffer.alloc(5 * MIB, 'x'),
      'Content-Disposition: form-data; name="a; filename=b"\r\nX: filename="c"',
    ),
  ],
  ['two boundaries', 'multipart/form-data; x="boundary=a"; boundary=b', formWithTwoBoundaries()],
  [
    'text before the first part',
    FORM,
    Buffer.concat([Buffer.alloc(5 * MIB, '\r\n'), formOf('A fox')]),
  ],
  [
    'escapes in JSON',
    'application/json',
    Buffer.concat([Buffer.from('{"prompt":"'), Buffer.alloc(40 * MIB, '\\'), Buffer.from('"}')]),
  ],
];

describe('An order with more than 4 MiB of text is refused before it is parsed', () => {
  test.for([
    ['with repairs', false],
    ['in strict mode', true],
  ] as const)('%s', async ([, strict]) => {
    await using scripted = await startScriptedHarness({ strict });
    const { harness, upstream } = scripted;
    for (const [name, type, body] of LONG) {
      const headers = [`Content-Type: ${type}`];
      const answer = await sendRequest(harness, { path: '/v1/videos', headers, body });
      expect({ name, status: answer.status }).toEqual({ name, status: 413 });
      expect(answer.body).toContain('more than 4 MiB of text');
    }
    expect(postTargets(upstream)).toEqual([]);
  });
});
