import { expect, test } from 'vitest';
import { formEntries } from './form-entries.ts';
import { orderBody, readVideoForm, type VideoForm } from './video-form.ts';

async function read(fields: Readonly<Record<string, string | File>>): Promise<VideoForm> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const written = new Response(form);
  const type = written.headers.get('content-type') ?? '';
  return readVideoForm(await formEntries(Buffer.from(await written.arrayBuffer()), type));
}

function bodyOf(form: VideoForm, addresses: readonly string[] = []): unknown {
  return JSON.parse(orderBody(form, form.model, addresses).toString());
}

test('a complete form becomes the JSON of the specification', async () => {
  const form = await read({
    model: 'h3',
    prompt: 'A cat',
    seconds: '8',
    size: '1280x720',
    input_reference: new File(['picture'], 'cat.png', { type: 'image/png' }),
  });
  expect(bodyOf(form, ['https://files.example/1'])).toEqual({
    model: 'h3',
    prompt: 'A cat',
    seconds: '8',
    task: 'ref2va',
    resolution: '720p',
    conditions: [{ type: 'image', url: 'https://files.example/1' }],
  });
  expect(form.files).toMatchObject([{ name: 'cat.png', type: 'image/png' }]);
  expect(form.repair).toMatchObject({
    code: 'video-form-to-json',
    before: 'a form with model, prompt, seconds, size, input_reference',
    after: '{"task":"ref2va","seconds":"8","resolution":"720p"}',
  });
  expect(form.repair.advice).toMatch(/size 1280x720 became the resolution 720p.*task “ref2va”/u);
});

test('missing fields get the values of the specification’s example, which the advice mentions', async () => {
  const form = await read({ prompt: 'A cat' });
  expect(bodyOf(form)).toEqual({
    prompt: 'A cat',
    task: 'ref2va',
    seconds: '4',
    resolution: '480p',
  });
  expect(form.repair.advice).toContain('task “ref2va”, seconds “4”, resolution “480p”');
});

test('fields of the form stay, also unknown ones', async () => {
  const fields = { prompt: 'A cat', task: 't', seconds: '5', resolution: '1080p', seed: '7' };
  const form = await read({ ...fields, size: '720x1280', 'conditions[][type]': 'image' });
  expect(bodyOf(form)).toEqual({ ...fields, size: '720x1280', conditions: [{ type: 'image' }] });
  expect(form.repair.advice).not.toContain('service’s documentation');
});

test('a malformed size stays for the service to reject', async () => {
  expect(bodyOf(await read({ size: 'large' }))).toMatchObject({
    size: 'large',
    resolution: '480p',
  });
});

test.for([
  ['an address', 'https://files.example/cat.png', ['https://files.example/cat.png'], 0],
  ['the image itself', 'data:image/png;base64,cGljdHVyZQ==', [], 1],
] as const)('an image may be named by %s', async ([, url, addresses, files]) => {
  const form = await read({ prompt: 'A cat', 'input_reference[image_url]': url });
  expect(form.addresses).toEqual(addresses);
  expect(form.files).toHaveLength(files);
  expect(form.files.map(({ bytes, type }) => `${type} ${bytes.toString()}`)).toEqual(
    files === 0 ? [] : ['image/png picture'],
  );
  expect(bodyOf(form, ['u'].slice(0, files))).not.toHaveProperty('input_reference');
});

test('a truncated form is rejected', async () => {
  const body = Buffer.from('--x\r\ncontent-disposition: form-data; name="prompt"\r\n\r\nA c');
  await expect(formEntries(body, 'multipart/form-data; boundary=x')).rejects.toMatchObject({
    code: 'undecodable_body',
  });
});
