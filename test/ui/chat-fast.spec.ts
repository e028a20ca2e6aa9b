import { setInterval as beats } from 'node:timers/promises';
import { LAST_CHUNK, openUpstream, STREAM_HEAD } from '../kit/upstream.ts';
import { answersOf, beginChat, pieceOf, say, useService, whenAnswered } from './chat-steps.ts';
import { expect, test } from './kit.ts';

const PIECES = 200;
const BEAT_MS = 20;

test('an answer that comes faster than it can be drawn is seen to grow nevertheless', async ({
  page,
  house,
}) => {
  await using service = await openUpstream({ models: ['m'] });
  await useService(house, service.url);
  await beginChat(house, page, { lanes: [{ model: 'm', protocol: 'chat' }] });
  await say(page, 'Tell me');
  const { wire } = await service.next();
  wire.send(`${STREAM_HEAD}${pieceOf('To begin with. ')}`);
  const answer = answersOf(page, 'm');
  await expect(answer).toContainText('To begin with.');
  const seen = await answer.evaluateHandle((element) => {
    const lengths = [element.textContent.length];
    const look = () => {
      const length = element.textContent.length;
      if (length > Math.max(...lengths)) lengths.push(length);
    };
    const everything = { subtree: true, childList: true, characterData: true };
    new MutationObserver(look).observe(element, everything);
    return lengths;
  });
  let sent = 0;
  for await (const _ of beats(BEAT_MS)) {
    wire.send(pieceOf(partOf(sent)));
    sent += 1;
    if (sent === PIECES) break;
  }
  const lengths = await seen.evaluate((all) => all);
  expect(lengths.length, `Seen were ${lengths.join(', ')} characters.`).toBeGreaterThan(4);
  wire.send(`${pieceOf('That is all.', 'stop')}${LAST_CHUNK}`);
  await expect(answer).toContainText('That is all.');
});

test(
  'an answer that has ended before it is shown is said aloud nevertheless',
  { tag: '@browser' },
  async ({ page, house }) => {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    await page.route('**/rpc/chat/open', async (route) => {
      await ended;
      await route.continue();
    });
    const id = await beginChat(house, page);
    await say(page, 'Hello');
    await whenAnswered(house, id, 1);
    resolve();
    const aloud = page.getByRole('status').filter({ hasText: 'sandbox/echo has answered' });
    await expect(aloud).toBeAttached();
  },
);

/** Part of a long text with a little of everything in it. */
function partOf(n: number): string {
  return [
    `## Part ${n}`,
    'The terms must match *literally*, or the planner **guesses**; see `explain`.',
    '1. One\n2. Two\n   - in it\n   - and another',
    `\`\`\`ts\nexport const part${n} = await store.read('${n}');\n\`\`\``,
    `| query | time |\n|---|--:|\n| a | ${n} ms |\n| b | ${n * 2} ms |`,
    `It holds that $x_${n} = \\frac{1}{${n}}$.\n\n`,
  ].join('\n\n');
}
