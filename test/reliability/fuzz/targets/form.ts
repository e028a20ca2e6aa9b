import assert from 'node:assert/strict';
import { formEntries } from '../../../../gateway/proxy/repair/body/form-entries.ts';
import { toFormMembers, toJson } from '../../../../gateway/proxy/repair/body/form-fields.ts';
import { orderBody, readVideoForm } from '../../../../gateway/proxy/repair/body/video-form.ts';
import { Problem } from '../../../../shared/problem.ts';
import type { Target } from '../target.ts';

const TYPE = 'multipart/form-data; boundary=b';

function part(name: string, value: string): string {
  return `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
}

/** Parses a video order as a form: it is rejected with a Problem, or converted to the same JSON each time. */
export const form: Target = {
  name: 'form',
  seeds: [
    `${part('model', 'h3')}${part('prompt', 'A fox')}${part('seconds', '4')}${part('size', '1280x720')}--b--\r\n`,
    `--b\r\nContent-Disposition: form-data; name="input_reference"; filename="a.png"\r\nContent-Type: image/png\r\n\r\nPNG\r\n${part('conditions[][url]', 'data:image/png;base64,AAAA')}--b--\r\n`,
    `${part('a[b][c]', '1')}${part('a[]', '2')}${part('__proto__[x]', '3')}${part('a', '4')}--b--\r\n`,
    'model=h3&prompt=A+fox',
  ],
  words: [
    '--b\r\n',
    '--b--\r\n',
    'Content-Disposition: form-data; name="',
    'filename="',
    '[]',
    '[url]',
    '\r\n\r\n',
    'data:image/png;base64,',
    '__proto__',
    'seconds',
    'size',
  ],
  async run(input) {
    const read = async () => {
      try {
        const found = readVideoForm(await formEntries(input, TYPE));
        return orderBody(
          found,
          'h3',
          found.files.map(() => 'https://files.example.com/f'),
        ).toString();
      } catch (error) {
        assert(error instanceof Problem, `${String(error)} is no Problem`);
        return null;
      }
    };
    const first = await read();
    assert.equal(await read(), first, 'the same form is read in two ways');
    if (first !== null) assert.equal(typeof JSON.parse(first), 'object');
    const fields = input
      .toString('latin1')
      .split('\n')
      .map((line): [string, string] => {
        const at = line.indexOf('=');
        return at === -1 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
      });
    JSON.stringify(toJson(toFormMembers(fields)));
  },
};
