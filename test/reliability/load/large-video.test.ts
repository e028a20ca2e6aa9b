import { expect, test } from 'vitest';
import { requireSaved, startScriptedFetch } from '../../kit/videos/scripted-fetch.ts';
import { flood } from '../../kit/net/flood.ts';
import { usedBytes } from '../../kit/process/memory.ts';
import { film } from '../../kit/videos/video-service-test-bed.ts';

test('a large video is downloaded without being buffered', async () => {
  await using scripted = await startScriptedFetch();
  const clip = await film();
  const piece = Buffer.alloc(1024 * 1024);
  const box = Buffer.alloc(8);
  box.writeUInt32BE(8 + 256 * piece.length, 0);
  box.write('free', 4, 'latin1');
  const length = clip.length + 8 + 256 * piece.length;
  const before = usedBytes();
  let most = 0;
  const onProgress = () => {
    most = Math.max(most, usedBytes() - before);
  };
  const fetching = scripted.bench.fetch({ onProgress });
  const { connection } = await scripted.redirected();
  connection.send(`HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n`);
  connection.send(Buffer.concat([clip, box]));
  await flood(connection.socket, piece, 256).done;
  expect(requireSaved(await fetching).bytes).toBe(length);
  // The number of bytes in transit depends on the load of the machine, and stays far below the 256 MiB.
  expect(most).toBeLessThan(48 * 1024 * 1024);
});
