import { setInterval as beats } from 'node:timers/promises';
import { LAST_CHUNK, openUpstream, STREAM_HEAD } from '../../../kit/net/scripted-upstream.ts';
import type { RawConnection } from '../../../kit/net/raw-connection.ts';
import {
  answers,
  beginChat,
  answerChunk,
  sendMessage,
  useService,
  waitForAnswers,
} from '../../../kit/ui/chat-steps.ts';
import { expect, test } from '../../../kit/ui/kit.ts';

const TIMES_SEEN = 4;
const BEAT_MS = 20;

test('an answer that arrives faster than it can be drawn still grows visibly', async ({
  page,
  harness,
}) => {
  await using service = await openUpstream({ models: ['m'] });
  await useService(harness, service.url);
  await beginChat(harness, page, { lanes: [{ model: 'm', protocol: 'chat' }] });
  await sendMessage(page, 'Tell me');
  const { connection } = await service.next();
  connection.send(`${STREAM_HEAD}${answerChunk('To begin with. ')}`);
  const answer = answers(page, 'm');
  await expect(answer).toContainText('To begin with.');
  const grown = answer.evaluate(
    async (element, times) =>
      await new Promise<void>((resolve) => {
        let longest = element.textContent.length;
        let left = times;
        const look = () => {
          const { length } = element.textContent;
          if (length <= longest) return;
          longest = length;
          left -= 1;
          if (left === 0) resolve();
        };
        const everything = { subtree: true, childList: true, characterData: true };
        new MutationObserver(look).observe(element, everything);
      }),
    TIMES_SEEN,
  );
  await sendUntil(connection, grown);
  connection.send(`${answerChunk('That is all.', 'stop')}${LAST_CHUNK}`);
  await expect(answer).toContainText('That is all.');
});

test(
  'an answer that ends before it is shown is still announced',
  { tag: '@browser' },
  async ({ page, harness }) => {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    await page.route('**/rpc/chat/open', async (route) => {
      await ended;
      await route.continue();
    });
    const id = await beginChat(harness, page);
    await sendMessage(page, 'Hello');
    await waitForAnswers(harness, id, 1);
    resolve();
    const aloud = page.getByRole('status').filter({ hasText: 'sandbox/echo has answered' });
    await expect(aloud).toBeAttached();
  },
);

/** Sends pieces faster than they can be drawn, until this is done. */
async function sendUntil(connection: RawConnection, done: Promise<void>): Promise<void> {
  const stop = new AbortController();
  const sending = (async () => {
    let sent = 0;
    for await (const _ of beats(BEAT_MS, undefined, { signal: stop.signal })) {
      connection.send(answerChunk(createPart(sent)));
      sent += 1;
    }
  })();
  await done;
  stop.abort();
  await sending.catch(() => undefined);
}

/** Part of a long text with a little of everything in it. */
function createPart(n: number): string {
  return [
    `## Part ${n}`,
    'The terms must match *literally*, or the planner **guesses**; see `explain`.',
    '1. One\n2. Two\n   - in it\n   - and another',
    `\`\`\`ts\nexport const part${n} = await store.read('${n}');\n\`\`\``,
    `| query | time |\n|---|--:|\n| a | ${n} ms |\n| b | ${n * 2} ms |`,
    `It holds that $x_${n} = \\frac{1}{${n}}$.\n\n`,
  ].join('\n\n');
}
