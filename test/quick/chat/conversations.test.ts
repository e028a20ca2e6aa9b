import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ChatProblem,
  ConversationId,
  type ConversationCursor,
  MessageId,
} from '../../../shared/chat/chat.ts';
import {
  createConversationInput,
  saveAnswer,
  createTurnInput,
  openChatFolder,
  userMessage,
  runTurn,
} from '../../kit/chat/chat-folder.ts';

const PROBLEM: ChatProblem = {
  by: 'gatehouse',
  status: null,
  code: null,
  sentence: 'Gatehouse stopped while this was coming.',
  suspects: [],
};

describe('A conversation', () => {
  test('grows turn by turn, and gets its title from the first message', async () => {
    await using folder = await openChatFolder();
    const { conversations, clock } = folder;
    const { id, title, lanes } = await conversations.add(createConversationInput('m'));
    expect([title, lanes]).toEqual(['', [{ model: 'm', protocol: null, at: null }]]);
    await runTurn(folder, id, ['# What is a *fox*?\nTell me.', 'An animal.']);
    clock.now += 1000;
    const last = await runTurn(folder, id, ['And a 🦊?', 'The same.']);
    const { conversation, paths } = await conversations.open(id);
    expect(conversation).toEqual(await conversations.get(id));
    expect(conversation).toMatchObject({ title: 'What is a fox?', changedAt: clock.now });
    expect(conversation.lanes[0]?.at).toBe(last.id);
    expect(paths[0]?.map(({ by, length }) => [by, length])).toEqual([
      ['person', 27],
      ['model', 10],
      ['person', 9],
      ['model', 9],
    ]);
    const path = await conversations.pathTo(last.id);
    expect(path.map(({ text }) => text)).toEqual([
      '# What is a *fox*?\nTell me.',
      'An animal.',
      'And a 🦊?',
      'The same.',
    ]);
    expect(path.map((one) => one.id)).toEqual(paths[0]?.map((one) => one.id));
    expect(path.map((one) => one.parent)).toEqual([null, ...path.slice(0, -1).map((m) => m.id)]);
  });

  test('keeps edits and alternative answers as branches, and opens at the newest branch', async () => {
    await using folder = await openChatFolder();
    const { conversations } = folder;
    const { id } = await conversations.add(createConversationInput('m'));
    const first = await runTurn(folder, id, ['One', '1']);
    const deeper = await runTurn(folder, id, ['Two', '2']);
    const [again] = await conversations.addTurns(id, [
      createTurnInput({ model: 'other' }, first.parent, null),
    ]);
    const [edited] = await conversations.addTurns(id, [
      createTurnInput({}, null, userMessage('Uno')),
    ]);
    expect(again?.siblings).toEqual([first.id, again?.id]);
    const [question] = await conversations.messages([edited?.parent ?? first.id]);
    expect(question?.siblings).toEqual([first.parent, edited?.parent]);
    const at = async (message: typeof first.id) =>
      (await conversations.selectBranch(id, 0, message)).lanes[0]?.at;
    expect(await at(first.id)).toBe(deeper.id);
    expect(await at(again?.id ?? first.id)).toBe(again?.id);
    // The lane returns to the newest answer of its own model, although another model has answered since.
    expect(await at(first.parent ?? first.id)).toBe(deeper.id);
    expect((await conversations.open(id)).paths[0]).toHaveLength(4);
  });

  test('compares models that share messages and branch after their answers', async () => {
    await using folder = await openChatFolder();
    const { conversations } = folder;
    const { id } = await conversations.add(createConversationInput('a', 'b'));
    const both = userMessage('Hello');
    const first = await conversations.addTurns(id, [
      createTurnInput({ lane: 0, model: 'a' }, null, both),
      createTurnInput({ lane: 1, model: 'b' }, null, both),
    ]);
    const [one, two] = first;
    if (one === undefined || two === undefined) throw new Error('Two answers were asked for.');
    expect(one.parent).toBe(two.parent);
    const next = await conversations.addTurns(id, [
      createTurnInput({ lane: 0, model: 'a' }, one.id, both),
      createTurnInput({ lane: 1, model: 'b' }, two.id, both),
    ]);
    expect(next[0]?.parent).not.toBe(next[1]?.parent);
    const { paths } = await conversations.open(id);
    expect(paths.map((path) => path.map((entry) => entry.id))).toEqual([
      [one.parent, one.id, next[0]?.parent, next[0]?.id],
      [one.parent, two.id, next[1]?.parent, next[1]?.id],
    ]);
    // Each lane continues with the branch of its own model through the shared message.
    const shared = one.parent ?? one.id;
    expect((await conversations.selectBranch(id, 0, shared)).lanes[0]?.at).toBe(next[0]?.id);
    expect((await conversations.selectBranch(id, 1, shared)).lanes[1]?.at).toBe(next[1]?.id);
  });

  test('can be renamed, configured and given other models, which start where another one is', async () => {
    await using folder = await openChatFolder();
    const { conversations } = folder;
    const { id } = await conversations.add(createConversationInput('m'));
    const { id: at } = await runTurn(folder, id, ['Hello', 'Hi']);
    const settings = { system: 'Be short.', temperature: 0, maxTokens: 5, imagesAnyway: true };
    const lanes = [
      { model: 'n', protocol: 'messages', from: 0 },
      { model: 'o', protocol: null, from: 0 },
    ] as const;
    const changed = await conversations.change(id, { title: 'Foxes', settings, lanes: [...lanes] });
    expect(changed).toMatchObject({
      title: 'Foxes',
      settings,
      lanes: [
        { model: 'n', protocol: 'messages', at },
        { model: 'o', protocol: null, at },
      ],
    });
    expect(await conversations.get(id)).toEqual(changed);
    await runTurn(folder, id, ['More', 'Words']);
    expect((await conversations.get(id)).title).toBe('Foxes');
    const wrong = conversations.change(id, { lanes: [{ model: 'x', protocol: null, from: 2 }] });
    await expect(wrong).rejects.toMatchObject({ name: 'NotFoundError' });
  });

  test('whose answer was cut off when Gatehouse stopped keeps the received text', async () => {
    await using folder = await openChatFolder();
    const { conversations } = folder;
    const { id } = await conversations.add(createConversationInput('a', 'b', 'c'));
    const answers = await conversations.addTurns(
      id,
      [0, 1, 2].map((lane) => createTurnInput({ lane }, null, userMessage('Hello'))),
    );
    expect(answers.map(({ answer }) => answer?.state)).toEqual(['waiting', 'waiting', 'waiting']);
    const [, coming, done] = answers;
    if (coming === undefined || done === undefined) throw new Error('Three answers.');
    await saveAnswer(folder, coming, { text: 'Hal', answer: { state: 'streaming' } });
    await saveAnswer(folder, done, { text: 'Hallo' });
    await conversations.markInterrupted(PROBLEM);
    const after = await conversations.messages(answers.map((one) => one.id));
    expect(after.map(({ text, answer }) => [text, answer?.state, answer?.problem])).toEqual([
      ['', 'refused', PROBLEM],
      ['Hal', 'broken', PROBLEM],
      ['Hallo', 'done', null],
    ]);
  });
});

describe('A search', () => {
  test('finds beginnings of words in messages and titles, in any letter case and with or without accents', async () => {
    await using folder = await openChatFolder();
    const { conversations, clock } = folder;
    const { id: foxes } = await conversations.add(createConversationInput('m', 'n'));
    await runTurn(folder, foxes, ['Über Füchse', `${'Words before. '.repeat(20)}Ein Café im Wald`]);
    clock.now += 1;
    const newest = await runTurn(folder, foxes, ['Noch ein CAFE?', 'Nein.']);
    clock.now += 1;
    const { id: bears } = await conversations.add(createConversationInput('m'));
    await runTurn(folder, bears, ['Bears', 'Grizzly']);
    const find = async (words: string) => {
      const page = await conversations.page({ find: words, limit: 10 });
      return page.conversations.map(({ id, match }) => [id, match?.message, match?.excerpt]);
    };
    expect(await find('')).toEqual([
      [bears, undefined, undefined],
      [foxes, undefined, undefined],
    ]);
    expect(await find('cafe noch')).toEqual([[foxes, newest.parent, 'Noch ein CAFE?']]);
    const [[, , excerpt] = []] = await find('cafe wald');
    expect(excerpt).toBe('…Ein Café im Wald');
    // The words are not all in one message, and one is the middle of a word.
    expect([await find('cafe fuchse'), await find('izzly')]).toEqual([[], []]);
    await conversations.change(bears, { title: 'Große Tiere' });
    expect(await find('tiere gro')).toEqual([[bears, undefined, undefined]]);
    expect(await find('bears')).toHaveLength(1);
  });

  test('finds words anywhere in scripts without spaces, beside others and in titles', async () => {
    await using folder = await openChatFolder();
    const { conversations } = folder;
    const { id } = await conversations.add(createConversationInput('m'));
    const before = '前置きです。'.repeat(20);
    await runTurn(folder, id, [
      '我今天想学习Rust语言',
      `${before}今日は天気がいい. In Paris, too.`,
    ]);
    const { id: other } = await conversations.add(createConversationInput('m'));
    await runTurn(folder, other, ['ภาษาไทยเป็นภาษา', '한국어 문장']);
    await conversations.change(other, { title: '週末の散歩' });
    const find = async (words: string) => {
      const page = await conversations.page({ find: words, limit: 10 });
      return page.conversations.map((one) => [one.id, one.match?.excerpt]);
    };
    expect(await find('天気')).toEqual([[id, '…天気がいい. In Paris, too.']]);
    expect(await find('天気 pari')).toEqual(await find('天気'));
    expect(await find('学习rust')).toEqual([[id, '我今天想学习Rust语言']]);
    expect([await find('天気 london'), await find('天气')]).toEqual([[], []]);
    expect(await find('散歩')).toEqual([[other, undefined]]);
    expect([await find('ไทย'), await find('문장')]).toEqual([
      [[other, 'ภาษาไทยเป็นภาษา']],
      [[other, '한국어 문장']],
    ]);
  });

  test('does not find an incomplete answer, and finds it once it is complete', async () => {
    await using folder = await openChatFolder();
    const { conversations } = folder;
    const { id } = await conversations.add(createConversationInput('m'));
    const [answer] = await conversations.addTurns(id, [
      createTurnInput({}, null, userMessage('Hello')),
    ]);
    if (answer === undefined) throw new Error('An answer was asked for.');
    const count = async (find: string) =>
      (await conversations.page({ find, limit: 10 })).conversations.length;
    const came = { text: 'A rare quagga', answer: { state: 'streaming' } } as const;
    await saveAnswer(folder, answer, came);
    expect(await count('quagga')).toBe(0);
    await saveAnswer(folder, answer, { text: 'A rare quokka', reasoning: 'A quagga, perhaps' });
    expect([await count('quagga'), await count('quokka')]).toEqual([0, 1]);
  });

  test('treats any input as words', async () => {
    await using folder = await openChatFolder();
    const { conversations } = folder;
    const { id } = await conversations.add(createConversationInput('m'));
    const text = 'alpha" OR beta* NEAR(gamma) -delta ^text: {a b}';
    await runTurn(folder, id, [text, 'ok']);
    const signs = fc.constantFrom(
      '"',
      '*',
      '^',
      ':',
      '(',
      '}',
      '+',
      '-',
      "'",
      '\\',
      '\0',
      ';',
      ' AND ',
      ' OR ',
      ' NOT ',
      'NEAR(',
      'é',
    );
    const typed = fc
      .array(fc.oneof(signs, fc.string({ unit: 'binary', maxLength: 8 })), { maxLength: 12 })
      .map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(typed, async (find) => {
        const { conversations: found } = await conversations.page({ find, limit: 5 });
        expect(found.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 300 },
    );
    expect((await conversations.page({ find: text, limit: 5 })).conversations).toHaveLength(1);
  });
});

test('the list shows each conversation at most once while they change', async () => {
  await using folder = await openChatFolder();
  const { conversations, clock } = folder;
  const ids: ConversationId[] = [];
  for (let n = 0; n < 7; n += 1) {
    // Some conversations get equal timestamps.
    clock.now += n % 2;
    ids.unshift((await conversations.add(createConversationInput('m'))).id);
  }
  const seen: ConversationId[] = [];
  let before: ConversationCursor | undefined;
  do {
    const page = await conversations.page({ find: '', limit: 2, before });
    seen.push(...page.conversations.map(({ id }) => id));
    before = page.next ?? undefined;
    const last = seen.at(-1);
    if (seen.length === 2 && last !== undefined) {
      clock.now += 1000;
      await runTurn(folder, last, ['It moves up', 'Yes.']);
      await conversations.remove(ids.at(-1) ?? last);
    }
  } while (before !== undefined);
  expect(seen).toHaveLength(6);
  expect(new Set(seen)).toEqual(new Set(ids.slice(0, -1)));
});

test('every change is emitted, and a removed listener receives nothing', async () => {
  await using folder = await openChatFolder();
  const { conversations } = folder;
  const changed: string[] = [];
  const stop = conversations.on((id) => changed.push(id));
  const { id } = await conversations.add(createConversationInput('m'));
  const { id: message } = await runTurn(folder, id, ['Hello', 'Hi']);
  await conversations.selectBranch(id, 0, message);
  await conversations.change(id, { title: 'T' });
  await conversations.remove(id);
  expect(changed).toEqual([id, id, id, id, id]);
  stop();
  await conversations.add(createConversationInput('m'));
  expect(changed).toHaveLength(5);
});

test('a missing conversation is rejected', async () => {
  await using folder = await openChatFolder();
  const { conversations } = folder;
  const { id } = await conversations.add(createConversationInput('m'));
  const { id: other } = await conversations.add(createConversationInput('m'));
  const foreign = await runTurn(folder, other, ['Hello', 'Hi']);
  const gone = ConversationId.parse('0');
  const image = { kind: 'image', hash: 'f'.repeat(64), name: 'a', type: 'image/png', bytes: 1 };
  const withImage = userMessage('Look', [{ ...image, kind: 'image' }]);
  const refused = [
    conversations.get(gone),
    conversations.open(gone),
    conversations.change(gone, {}),
    conversations.remove(gone),
    conversations.addTurns(gone, []),
    conversations.addTurns(id, [createTurnInput({ lane: 1 }, null, userMessage('x'))]),
    conversations.addTurns(id, [createTurnInput({}, foreign.id, userMessage('x'))]),
    conversations.selectBranch(id, 0, foreign.id),
    conversations.selectBranch(other, 1, foreign.id),
    conversations.pathTo(MessageId.parse('0')),
    conversations.export(gone, 'json').next(),
  ];
  const outcomes = await Promise.allSettled(refused);
  expect(outcomes.map((one) => one.status === 'rejected' && one.reason.name)).toEqual(
    refused.map(() => 'NotFoundError'),
  );
  await expect(
    conversations.addTurns(id, [createTurnInput({}, null, withImage)]),
  ).rejects.toMatchObject({
    name: 'UserError',
    field: 'image',
  });
  expect((await conversations.open(id)).paths).toEqual([[]]);
  expect(await conversations.messages([foreign.id, MessageId.parse('0')])).toHaveLength(1);
});
