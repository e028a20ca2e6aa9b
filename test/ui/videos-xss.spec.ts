import { answerSteps } from '../../gateway/videos/answers.ts';
import type { Rooms } from '../../gateway/gateway.ts';
import { expectHarmless, IMAGE, LINK, MARKDOWN, SCRIPT } from './harmless.ts';
import { expect, test } from './kit.ts';
import { putJob } from './video-jobs.ts';
import { pixel } from './video-steps.ts';

const HARM = `${IMAGE}${SCRIPT}${MARKDOWN}`;
const REQUEST = { model: IMAGE, task: SCRIPT, seconds: LINK, resolution: MARKDOWN };

/** Jobs in which everything that somebody else said means harm. */
async function putHarm(rooms: Rooms): Promise<void> {
  const harm = {
    origin: 'client',
    clientName: SCRIPT,
    request: { ...REQUEST, prompt: HARM, more: { [IMAGE]: LINK } },
    charged: 'yes',
    orders: 1,
    taskId: IMAGE,
    word: SCRIPT,
    cost: IMAGE,
    problem: HARM,
  } as const;
  const candidates = [
    { pointer: '/a', value: LINK },
    { pointer: '/<b>', value: IMAGE },
  ];
  const question = { about: 'task-id', answer: HARM, candidates } as const;
  const id = await putJob(rooms, { ...harm, state: 'needs-answer', question });
  const answer = { stage: 'submit', at: rooms.host.now(), status: 200, text: HARM } as const;
  await rooms.store.write(await answerSteps(rooms.store, id, answer));
  await putJob(rooms, { ...harm, state: 'failed', reason: HARM, reasons: candidates });
  await putJob(rooms, { ...harm, state: 'timed-out', stage: 'rendering' });
  const path = `/nowhere/${IMAGE}`;
  const file = { name: IMAGE, path, type: SCRIPT, bytes: 1, sha256: '0'.repeat(64) };
  await putJob(rooms, { ...harm, state: 'done', file });
}

test('nothing that a service or a client says about a video becomes more than text', async ({
  startHouse,
  page,
}) => {
  test.slow();
  const house = await startHouse({ furniture: { more: putHarm } });
  await house.open(page, '/videos');
  const { videos } = await house.calls();
  const { jobs } = await videos.page({ filter: {}, limit: 10 });
  expect(jobs).toHaveLength(4);
  await expect(page.getByRole('button', { name: /^<img/u }).first()).toBeVisible();
  await expectHarmless(page);
  for (const { id, state } of jobs) {
    await test.step(state, async () => {
      await house.open(page, `/videos?video=${encodeURIComponent(JSON.stringify(id))}`);
      await expect(page.getByRole('heading', { name: 'Facts' })).toBeVisible();
      const answers = page.getByRole('button', { name: /^Order/u });
      if ((await answers.count()) > 0) await answers.first().click();
      await expectHarmless(page);
    });
  }
  await test.step('the form', async () => {
    await house.open(page, `/videos/new?from=${encodeURIComponent(JSON.stringify(jobs[0]?.id))}`);
    await expect(page.getByRole('textbox', { name: 'Prompt' })).toHaveValue(HARM);
    await page.locator('input[type="file"]').setInputFiles([pixel(`${IMAGE}.png`)]);
    await expect(page.getByRole('list', { name: 'Images' })).toContainText('onerror');
    await expectHarmless(page);
  });
});
