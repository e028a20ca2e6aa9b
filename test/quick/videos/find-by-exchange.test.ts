import { assert, expect, test } from 'vitest';
import { startHarness } from '../../kit/gateway/harness.ts';
import { whenJob } from '../../kit/videos/queue.ts';
import { orderBody, readTaskId, sendOrder, uploadPicture } from '../../kit/videos/video-order.ts';

test('each exchange of a video leads to it, also of orders at the same moment', async () => {
  await using harness = await startHarness();
  const { videos } = harness.repositories;
  const url = await uploadPicture(harness);
  const prompts = ['A fox.', 'A crane.', 'A pine.'];
  const answers = await Promise.all(
    prompts.map((prompt) => sendOrder(harness, orderBody(url, prompt))),
  );
  for (const [index, answer] of answers.entries()) {
    const ordered = await harness.recordOf(answer.headers.get('x-gatehouse-exchange'));
    const id = await videos.findByExchange(ordered);
    assert(id !== null);
    // The queue finds out which of the ids in the answer is that of the task.
    const job = await whenJob(harness.repositories, id, ({ taskId }) => taskId !== null);
    expect(job.request.prompt).toBe(prompts[index]);
    const task = readTaskId(answer);
    const status = await fetch(`http://127.0.0.1:${harness.port}/v1/videos/${task}`, {
      headers: { authorization: `Bearer ${harness.localKey}` },
    });
    await status.text();
    const checked = await harness.recordOf(status.headers.get('x-gatehouse-exchange'));
    expect(await videos.findByExchange(checked)).toBe(id);
  }
});

test('an exchange of anything else leads to no video', async () => {
  await using harness = await startHarness();
  const answer = await fetch(`http://127.0.0.1:${harness.port}/v1/models`, {
    headers: { authorization: `Bearer ${harness.localKey}` },
  });
  await answer.text();
  const listed = await harness.recordOf(answer.headers.get('x-gatehouse-exchange'));
  expect(await harness.repositories.videos.findByExchange(listed)).toBeNull();
});
