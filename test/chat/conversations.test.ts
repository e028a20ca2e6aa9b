import { describe, expect, test } from 'vitest';
import type { ChatProblem } from '../../shared/chat.ts';
import { aConversation, answerWith, aTurn, openChatFolder, said, talk } from './folder.ts';

const PROBLEM: ChatProblem = {
  by: 'gatehouse',
  status: null,
  code: null,
  sentence: 'Gatehouse ended while this was coming.',
  suspects: [],
};

describe('A conversation', () => {
  test('grows turn by turn, and is titled by what was said first', async () => {
    await using folder = await openChatFolder();
    const { conversations, clock } = folder;
    const { id, title, lanes } = await conversations.add(aConversation('m'));
    expect([title, lanes]).toEqual(['', [{ model: 'm', protocol: null, at: null }]]);
    await talk(folder, id, ['# What is a *fox*?\nTell me.', 'An animal.']);
    clock.now += 1000;
    const last = await talk(folder, id, ['And a 🦊?', 'The same.']);
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

  test('keeps edits and other answers beside each other, and goes to the newest branch', async () => {
    await using folder = await openChatFolder();
    const { conversations } = folder;
    const { id } = await conversations.add(aConversation('m'));
    const first = await talk(folder, id, ['One', '1']);
    const deeper = await talk(folder, id, ['Two', '2']);
    const [again] = await conversations.addTurns(id, [
      aTurn({ model: 'other' }, first.parent, null),
    ]);
    const [edited] = await conversations.addTurns(id, [aTurn({}, null, said('Uno'))]);
    expect(again?.siblings).toEqual([first.id, again?.id]);
    const [question] = await conversations.messages([edited?.parent ?? first.id]);
    expect(question?.siblings).toEqual([first.parent, edited?.parent]);
    const at = async (message: typeof first.id) =>
      (await conversations.goTo(id, 0, message)).lanes[0]?.at;
    expect(await at(first.id)).toBe(deeper.id);
    expect(await at(again?.id ?? first.id)).toBe(again?.id);
    // Of the answers of its model the newest, though another model has answered since.
    expect(await at(first.parent ?? first.id)).toBe(deeper.id);
    expect((await conversations.open(id)).paths[0]).toHaveLength(4);
  });

  test('compares: models share what is said to all of them, and part after their answers', async () => {
    await using folder = await openChatFolder();
    const { conversations } = folder;
    const { id } = await conversations.add(aConversation('a', 'b'));
    const both = said('Hello');
    const first = await conversations.addTurns(id, [
      aTurn({ lane: 0, model: 'a' }, null, both),
      aTurn({ lane: 1, model: 'b' }, null, both),
    ]);
    const [one, two] = first;
    if (one === undefined || two === undefined) throw new Error('Two answers were asked for.');
    expect(one.parent).toBe(two.parent);
    const next = await conversations.addTurns(id, [
      aTurn({ lane: 0, model: 'a' }, one.id, both),
      aTurn({ lane: 1, model: 'b' }, two.id, both),
    ]);
    expect(next[0]?.parent).not.toBe(next[1]?.parent);
    const { paths } = await conversations.open(id);
    expect(paths.map((path) => path.map((entry) => entry.id))).toEqual([
      [one.parent, one.id, next[0]?.parent, next[0]?.id],
      [one.parent, two.id, next[1]?.parent, next[1]?.id],
    ]);
    // Each goes to its own model's branch through what they share.
    const shared = one.parent ?? one.id;
    expect((await conversations.goTo(id, 0, shared)).lanes[0]?.at).toBe(next[0]?.id);
    expect((await conversations.goTo(id, 1, shared)).lanes[1]?.at).toBe(next[1]?.id);
  });

  test('is renamed, set and given other models, which begin where another is', async () => {
    await using folder = await openChatFolder();
    const { conversations } = folder;
    const { id } = await conversations.add(aConversation('m'));
    const { id: at } = await talk(folder, id, ['Hello', 'Hi']);
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
    await talk(folder, id, ['More', 'Words']);
    expect((await conversations.get(id)).title).toBe('Foxes');
    const wrong = conversations.change(id, { lanes: [{ model: 'x', protocol: null, from: 2 }] });
    await expect(wrong).rejects.toMatchObject({ name: 'NotFound' });
  });

  test('that was broken off by an end keeps what came', async () => {
    await using folder = await openChatFolder();
    const { conversations } = folder;
    const { id } = await conversations.add(aConversation('a', 'b', 'c'));
    const answers = await conversations.addTurns(
      id,
      [0, 1, 2].map((lane) => aTurn({ lane }, null, said('Hello'))),
    );
    expect(answers.map(({ answer }) => answer?.state)).toEqual(['waiting', 'waiting', 'waiting']);
    const [, coming, done] = answers;
    if (coming === undefined || done === undefined) throw new Error('Three answers.');
    await answerWith(folder, coming, { text: 'Hal', answer: { state: 'streaming' } });
    await answerWith(folder, done, { text: 'Hallo' });
    await conversations.breakLeft(PROBLEM);
    const after = await conversations.messages(answers.map((one) => one.id));
    expect(after.map(({ text, answer }) => [text, answer?.state, answer?.problem])).toEqual([
      ['', 'refused', PROBLEM],
      ['Hal', 'broken', PROBLEM],
      ['Hallo', 'done', null],
    ]);
  });
});
