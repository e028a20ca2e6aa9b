import { request as httpRequest } from 'node:http';
import { expect, test } from 'vitest';
import { type SandboxClient, openSandboxClient } from '../../kit/sandbox/sandbox-client.ts';

test('an upload of 256 MiB is counted, but not stored', async () => {
  await using caller = await openSandboxClient();
  const size = 256 * 2 ** 20;
  const before = process.memoryUsage.rss();
  const answer = await uploadZeros(caller, size);
  expect(answer).toContain(`"bytes":${size}`);
  // The sandbox and its caller share this process, so its memory shows whether the file is stored.
  expect(process.memoryUsage.rss() - before).toBeLessThan(size);
  expect(await uploadZeros(caller, size + 1)).toContain('request_too_large');
});

/** Uploads a stream of zeros of this length and returns the body of the answer. */
function uploadZeros({ sandbox }: SandboxClient, size: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const headers = {
    authorization: `Bearer ${sandbox.key}`,
    'content-type': 'multipart/form-data; boundary=here',
  };
  const upload = httpRequest(`${sandbox.url}/v1/files`, { method: 'POST', headers }, (answer) => {
    let body = '';
    answer.setEncoding('utf8');
    answer.on('data', (part: string) => (body += part));
    answer.once('end', () => resolve(body));
  });
  upload.once('error', reject);
  upload.write('--here\r\nContent-Disposition: form-data; name="file"; filename="big"\r\n\r\n');
  const zeros = Buffer.alloc(2 ** 20);
  let left = size;
  const more = () => {
    while (left > 0) {
      const part = zeros.subarray(0, left);
      left -= part.length;
      if (!upload.write(part)) return void upload.once('drain', more);
    }
    upload.end('\r\n--here--\r\n');
  };
  more();
  return promise;
}
