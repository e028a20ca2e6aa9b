import { requestHead } from '../../kit/gateway/request.ts';
import { describe, expect, test } from 'vitest';
import { flood } from '../../kit/net/flood.ts';
import { startHarness } from '../../kit/gateway/harness.ts';
import { usedBytes } from '../../kit/process/memory.ts';
import { dial } from '../../kit/net/raw-http.ts';
import { RawConnection } from '../../kit/net/raw-connection.ts';

const MIB = 2 ** 20;

describe('Large bodies', () => {
  test('an upload of 100 MiB is streamed without buffering', async () => {
    await using harness = await startHarness();
    const client = new RawConnection(await dial(harness.port));
    const start =
      '--cut\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\nContent-Type: image/png\r\n\r\n';
    const end = '\r\n--cut--\r\n';
    const size = 100 * MIB;
    const headers = [
      'Content-Type: multipart/form-data; boundary=cut',
      `Content-Length: ${start.length + size + end.length}`,
    ];
    const block = Buffer.alloc(MIB, 'u');
    const before = usedBytes();
    let most = 0;
    client.send(requestHead(harness, 'POST /v1/files HTTP/1.1', headers) + start);
    for (let tenth = 0; tenth < 10; tenth += 1) {
      await flood(client.socket, block, 10).done;
      most = Math.max(most, usedBytes() - before);
    }
    client.send(end);
    await client.until('"bytes":104857600');
    expect(most).toBeLessThan(48 * MIB);
    client.socket.destroy();
    const [record] = await harness.recorded(1);
    expect(record).toMatchObject({ route: 'files', status: 200, attempts: 1 });
    expect(record?.bytesIn).toBe(start.length + size + end.length);
  });
});
