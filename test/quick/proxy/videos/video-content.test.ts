import { rm } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { VideoJob } from '../../../../shared/video/video.ts';
import { openai } from '../../clients/sdks.ts';
import { type Harness, startHarness } from '../../../kit/gateway/harness.ts';
import { sendRequest } from '../../../kit/gateway/request.ts';
import {
  orderBody,
  sendOrder,
  readTaskId,
  uploadPicture,
} from '../../../kit/videos/video-order.ts';

/** Orders a video through the proxy and waits until its file is downloaded. */
async function makeVideo(harness: Harness): Promise<VideoJob & { readonly taskId: string }> {
  const taskId = readTaskId(await sendOrder(harness, orderBody(await uploadPicture(harness))));
  for (;;) {
    const { promise: changed, resolve } = Promise.withResolvers<void>();
    const stop = harness.repositories.videos.on(() => resolve());
    const { jobs } = await harness.repositories.videos.page({ filter: {}, limit: 10 });
    const [job] = jobs;
    if (job?.state === 'done') {
      stop();
      return { ...job, taskId };
    }
    await changed;
    stop();
  }
}

describe('A video that a client ordered', () => {
  test('appears in the queue and is fetched', async () => {
    await using harness = await startHarness();
    const job = await makeVideo(harness);
    expect(job).toMatchObject({
      origin: 'client',
      clientName: 'Test',
      charged: 'yes',
      file: { type: 'video/mp4', present: true },
    });
  });

  test('is served from disk, also when the service is down', async () => {
    await using harness = await startHarness();
    const { taskId, file } = await makeVideo(harness);
    await harness.sandbox.close();
    const content = await openai(harness).videos.downloadContent(taskId);
    const bytes = Buffer.from(await content.arrayBuffer());
    expect(bytes.toString('latin1', 4, 8)).toBe('ftyp');
    expect(bytes.length).toBe(file?.bytes);
    expect(content.headers.get('etag')).toBe(`"${file?.sha256}"`);
    expect(await harness.recordOf(content.headers.get('x-gatehouse-exchange'))).toMatchObject({
      route: 'video-content',
      status: 200,
      attempts: 0,
      endedBy: 'gateway',
      errorCode: null,
      bytesOut: bytes.length,
      repairs: [],
    });
  });

  test('is served in ranges, also in strict mode', async () => {
    await using harness = await startHarness({ strict: true });
    const { taskId, file } = await makeVideo(harness);
    const path = `/v1/videos/${taskId}/content?variant=video`;
    const part = await sendRequest(harness, { path, headers: ['range: bytes=4-7'] });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes 4-7/${file?.bytes}`);
    expect(part.body).toBe('ftyp');
  });

  test('is requested from the service when its file is missing, or for a thumbnail', async () => {
    await using harness = await startHarness();
    const { taskId, file } = await makeVideo(harness);
    const picture = `/v1/videos/${taskId}/content?variant=thumbnail`;
    await sendRequest(harness, { path: picture });
    const fetched = harness.sandbox.requests.filter(({ url }) => url === picture);
    expect(fetched).toHaveLength(1);
    await rm(file?.path ?? '');
    const { status, headers } = await sendRequest(harness, {
      path: `/v1/videos/${taskId}/content`,
    });
    expect(status).toBe(200);
    expect(headers.get('x-gatehouse-repairs')).toBe('redirect-followed');
  });
});
