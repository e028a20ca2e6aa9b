import { expect, test } from 'vitest';
import type { ChatProblem, ConversationId } from '../../../shared/chat/chat.ts';
import {
  createConversationInput,
  saveAnswer,
  createTurnInput,
  type ChatFolder,
  openChatFolder,
  userMessage,
  runTurn,
} from '../../kit/chat/chat-folder.ts';

const PNG = Buffer.from(
  '89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de',
  'hex',
);

async function exported(
  { conversations }: ChatFolder,
  id: ConversationId,
  format: 'markdown' | 'json',
): Promise<string> {
  let text = '';
  for await (const piece of conversations.export(id, format)) text += piece;
  return text;
}

/** Creates a conversation of two models with a system prompt, files, reasoning, figures, an edit and a broken answer. */
async function fillConversation(folder: ChatFolder, picture: Buffer) {
  const { conversations } = folder;
  const { images } = conversations;
  const { id } = await conversations.add(createConversationInput('red', 'blue'));
  const system = 'Be brief.';
  const settings = { system, temperature: 0.5, maxTokens: null, imagesAnyway: false };
  await conversations.change(id, { settings, title: 'Foxes\nand bears' });
  const upload = await images.begin({ name: 'a`fox.png', bytes: picture.length });
  for (let at = 0; at < picture.length; at += 500_000) {
    await images.append(upload, picture.subarray(at, at + 500_000));
  }
  const image = { kind: 'image', ...(await images.finish(upload)) } as const;
  const file = { kind: 'text', name: 'code.md', text: 'See:\n````\nx\n````\n' } as const;
  const words = userMessage('What is **this**?', [image, file]);
  await runTurn(folder, id, ['First wording', 'Never mind.']);
  const answers = await conversations.addTurns(id, [
    createTurnInput({ lane: 0, model: 'red' }, null, words),
    createTurnInput({ lane: 1, model: 'blue' }, null, words),
  ]);
  const [red, blue] = answers;
  if (red === undefined || blue === undefined) throw new Error('Two answers were asked for.');
  const usage = {
    input: 1200,
    output: 30,
    cacheRead: null,
    cacheWrite: null,
    cacheWriteHour: null,
    media: null,
    reasoning: null,
    source: 'reported',
    reportedPart: null,
  } as const;
  await saveAnswer(folder, red, {
    text: 'A fox.\n\n- red',
    reasoning: 'Is it </details> a fox?',
    answer: {
      modelServed: 'red-2026',
      firstTokenMs: 512,
      tokensPerSecond: 41.26,
      usage,
      cost: { amount: 0.0012, field: 'usage.cost' },
    },
  });
  const sentence = 'The service broke off. What came is kept.';
  const problem: ChatProblem = {
    by: 'service',
    status: null,
    code: null,
    sentence,
    suspects: [],
  };
  const broken = { state: 'broken', problem } as const;
  await saveAnswer(folder, blue, { text: 'A f', answer: broken });
  return { id, image };
}

test('the Markdown export of a conversation is readable: each model with its path, files, figures and errors', async () => {
  await using folder = await openChatFolder();
  const { id } = await fillConversation(folder, PNG);
  const text = await exported(folder, id, 'markdown');
  const asked = `## You

What is **this**?

Image: \`\` a\`fox.png \`\` (image/png)

File: \` code.md \`

\`\`\`\`\`
See:
\`\`\`\`
x
\`\`\`\`
\`\`\`\`\`
`;
  expect(text.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/u, 'DATE')).toBe(`# Foxes and bears

DATE

## System prompt

Be brief.

---

# red

${asked}
## red

<details>
<summary>Reasoning</summary>

Is it &lt;/details> a fox?

</details>

A fox.

- red

*red-2026 · first token after 0.51 s · 41.3 tokens/s · 1200 tokens in · 30 tokens out · cost 0.0012 (usage.cost)*

---

# blue

${asked}
## blue

A f

*The service broke off. What came is kept.*

`);
});

test('the JSON export of a conversation is complete: every message with its parent, the settings, and the images', async () => {
  await using folder = await openChatFolder();
  // The length is not a multiple of three bytes, and the image arrives in several chunks.
  const picture = Buffer.concat([PNG, Buffer.alloc(1_000_000, 'fox')]);
  const { id, image } = await fillConversation(folder, picture);
  const text = await exported(folder, id, 'json');
  const whole: unknown = JSON.parse(text);
  const { conversations } = folder;
  const { title, settings, lanes } = await conversations.get(id);
  const { kind: _kind, ...kept } = image;
  const base64 = picture.toString('base64');
  expect(whole).toMatchObject({ id, title, settings, lanes, images: [{ ...kept, base64 }] });
  expect(whole).toMatchObject({
    messages: [
      { parent: null, text: 'First wording', answer: null },
      { text: 'Never mind.', answer: { state: 'done' } },
      { parent: null, text: 'What is **this**?', files: [image, { name: 'code.md' }] },
      { text: 'A fox.\n\n- red', reasoning: 'Is it </details> a fox?', answer: { model: 'red' } },
      { text: 'A f', answer: { state: 'broken', model: 'blue' } },
    ],
  });
  const { id: empty } = await conversations.add(createConversationInput('m'));
  expect(JSON.parse(await exported(folder, empty, 'json'))).toMatchObject({
    messages: [],
    images: [],
  });
  expect(await exported(folder, empty, 'markdown')).toMatch(/^# Conversation\n\n/u);
});
