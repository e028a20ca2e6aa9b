import { answerStatements } from '../../../../gateway/videos/store/answers.ts';
import type { Repositories } from '../../../../gateway/gateway.ts';
import { expectNoXss, IMAGE, LINK, MARKDOWN, SCRIPT } from '../../../kit/ui/xss-payloads.ts';
import { expect, test } from '../../../kit/ui/kit.ts';
import { seedJob } from '../../../kit/ui/seed/video-jobs.ts';
import { pixel } from '../../../kit/ui/video-steps.ts';

const HARM = `${IMAGE}${SCRIPT}${MARKDOWN}`;
const REQUEST = { model: IMAGE, task: SCRIPT, seconds: LINK, resolution: MARKDOWN };

/** Jobs in which every text of others is hostile. */
async function putHarm(repositories: Repositories): Promise<void> {
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
  const id = await seedJob(repositories, { ...harm, state: 'needs-answer', question });
  const answer = { stage: 'submit', at: repositories.host.now(), status: 200, text: HARM } as const;
  await repositories.store.write(await answerStatements(repositories.store, id, answer));
  await seedJob(repositories, { ...harm, state: 'failed', reason: HARM, reasons: candidates });
  await seedJob(repositories, { ...harm, state: 'timed-out', stage: 'rendering' });
  const path = `/nowhere/${IMAGE}`;
  const file = { name: IMAGE, path, type: SCRIPT, bytes: 1, sha256: '0'.repeat(64) };
  await seedJob(repositories, { ...harm, state: 'done', file });
}

test('nothing that a service or a client says about a video becomes more than text', async ({
  startHarness,
  page,
}) => {
  test.slow();
  const harness = await startHarness({ seed: { more: putHarm } });
  await harness.open(page, '/videos');
  const { videos } = await harness.calls();
  const { jobs } = await videos.page({ filter: {}, limit: 10 });
  expect(jobs).toHaveLength(4);
  await expect(page.getByRole('button', { name: /^<img/u }).first()).toBeVisible();
  await expectNoXss(page);
  for (const { id, state } of jobs) {
    await test.step(state, async () => {
      await harness.open(page, `/videos?video=${encodeURIComponent(JSON.stringify(id))}`);
      await expect(page.getByRole('heading', { name: 'Facts' })).toBeVisible();
      const answers = page.getByRole('button', { name: /^Order/u });
      if ((await answers.count()) > 0) await answers.first().click();
      await expectNoXss(page);
    });
  }
  await test.step('the form', async () => {
    await harness.open(page, `/videos/new?from=${encodeURIComponent(JSON.stringify(jobs[0]?.id))}`);
    await expect(page.getByRole('textbox', { name: 'Prompt' })).toHaveValue(HARM);
    await page.locator('input[type="file"]').setInputFiles([pixel(`${IMAGE}.png`)]);
    await expect(page.getByRole('list', { name: 'Images' })).toContainText('onerror');
    await expectNoXss(page);
  });
});
