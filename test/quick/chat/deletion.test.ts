import { randomBytes } from 'node:crypto';
import { readdir, readFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { listCopies, createCopy, startDailyCopies } from '../../../gateway/backup/backup.ts';
import { openConversations } from '../../../gateway/chat/chat.ts';
import type { ConversationId } from '../../../shared/chat/chat.ts';
import {
  createConversationInput,
  saveAnswer,
  createTurnInput,
  type ChatFolder,
  openChatFolder,
  userMessage,
} from '../../kit/chat/chat-folder.ts';

const PNG = Buffer.from(
  '89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de',
  'hex',
);

/** Returns those of these words that occur as bytes in any file of the data folder. */
async function findRemainingWords(
  { dataDir }: ChatFolder,
  words: readonly string[],
): Promise<string[]> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const contents = await Promise.all(
    files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')),
  );
  const names = files.map(({ name }) => name);
  const everything = [...contents, ...names];
  return words.filter((word) => everything.some((content) => content.includes(word)));
}

/** Creates a word that occurs nowhere else, with its own prefix in the index. */
function createUniqueWord(): string {
  return randomBytes(9).toString('hex');
}

/** Imports an image that contains a word. */
async function imageWith({ conversations }: ChatFolder, word: string) {
  const { images } = conversations;
  const bytes = Buffer.concat([PNG, Buffer.from(word)]);
  const upload = await images.begin({ name: `${word}.png`, bytes: bytes.length });
  await images.append(upload, bytes);
  return { kind: 'image', ...(await images.finish(upload)) } as const;
}

/** Adds a message and an answer that arrives in chunks, with these words in them. */
async function addConversationTurn(
  folder: ChatFolder,
  id: ConversationId,
  words: readonly string[],
) {
  const { conversations } = folder;
  const { lanes } = await conversations.get(id);
  const text = words.join(' and then again something more ');
  const files = [{ kind: 'text', name: `${words[0]}.txt`, text }] as const;
  const turn = createTurnInput({}, lanes[0]?.at ?? null, userMessage(text, [...files]));
  const [answer] = await conversations.addTurns(id, [turn]);
  if (answer === undefined) throw new Error('An answer was asked for.');
  for (const [end] of [...words.entries()].toSpliced(-1)) {
    const received = words.slice(0, end).join(' ').repeat(20);
    await saveAnswer(folder, answer, {
      text: received,
      reasoning: received,
      answer: { state: 'streaming' },
    });
  }
  await saveAnswer(folder, answer, { text, reasoning: text });
}

test('a deleted conversation leaves nothing on the disk, and the others lose nothing', async () => {
  await using folder = await openChatFolder();
  const { conversations } = folder;
  const all: { readonly id: ConversationId; readonly words: string[] }[] = [];
  for (let n = 0; n < 12; n += 1) {
    all.push({ id: (await conversations.add(createConversationInput('m'))).id, words: [] });
  }
  // The messages are interleaved so that their rows lie between each other and move when other rows grow.
  for (let round = 0; round < 4; round += 1) {
    for (const { id, words } of all) {
      const newWords = Array.from({ length: 1 + (words.length % 5) }, createUniqueWord);
      words.push(...newWords);
      await addConversationTurn(folder, id, newWords);
      if (round === 1) await conversations.change(id, { title: newWords[0] });
      if (round === 2) await conversations.change(id, { title: 'Another' });
    }
  }
  const removed = all.filter((_, index) => index % 3 !== 0);
  const kept = all.filter((one) => !removed.includes(one));
  const wordsOf = (some: typeof all) => some.flatMap(({ words }) => words);
  expect(await findRemainingWords(folder, wordsOf(all))).toEqual(wordsOf(all));
  for (const { id } of removed) await conversations.remove(id);
  expect(await findRemainingWords(folder, wordsOf(all))).toEqual(wordsOf(kept));
  for (const { id, words } of kept) {
    const page = await conversations.page({ find: words[0] ?? '', limit: 5 });
    expect(page.conversations.map((one) => one.id)).toEqual([id]);
  }
  expect(await conversations.erase()).toBe(kept.length);
  expect(await findRemainingWords(folder, wordsOf(all))).toEqual([]);
  expect(await conversations.erase()).toBe(0);
});

test('an image is deleted with the last conversation that uses it', async () => {
  await using folder = await openChatFolder();
  const { conversations } = folder;
  const [shared, own] = [createUniqueWord(), createUniqueWord()];
  const [sharedImage, ownImage] = [await imageWith(folder, shared), await imageWith(folder, own)];
  const { id: one } = await conversations.add(createConversationInput('m'));
  const { id: other } = await conversations.add(createConversationInput('m'));
  await conversations.addTurns(one, [
    createTurnInput({}, null, userMessage('', [sharedImage, ownImage])),
  ]);
  await conversations.addTurns(other, [createTurnInput({}, null, userMessage('', [sharedImage]))]);
  expect((await conversations.get(one)).title).toBe(`${shared}.png`);
  await conversations.remove(one);
  expect(await findRemainingWords(folder, [shared, own])).toEqual([shared]);
  expect(await conversations.images.find(sharedImage.hash)).toMatchObject({ type: 'image/png' });
  await conversations.remove(other);
  expect(await findRemainingWords(folder, [shared, own])).toEqual([]);
  expect(await conversations.images.find(sharedImage.hash)).toBeNull();
});

test('an unused image is deleted after a week, and a sent one is kept', async () => {
  await using folder = await openChatFolder();
  const { conversations, clock, dataDir } = folder;
  const [used, unused] = [
    await imageWith(folder, createUniqueWord()),
    await imageWith(folder, createUniqueWord()),
  ];
  const { id } = await conversations.add(createConversationInput('m'));
  await conversations.addTurns(id, [createTurnInput({}, null, userMessage('Look', [used]))]);
  const images = join(dataDir, 'chat', 'images');
  const old = (clock.now - 8 * 24 * 3_600_000) / 1000;
  for (const name of await readdir(images)) await utimes(join(images, name), old, old);
  await imageWith(folder, createUniqueWord());
  expect(await conversations.images.find(unused.hash)).toBeNull();
  expect(await conversations.images.find(used.hash)).not.toBeNull();
});

test('deleting all conversations deletes unused images and unfinished uploads', async () => {
  await using folder = await openChatFolder();
  const { conversations } = folder;
  const { images } = conversations;
  const [unsent, coming] = [createUniqueWord(), createUniqueWord()];
  await imageWith(folder, unsent);
  const upload = await images.begin({ name: 'x.png', bytes: 100 });
  await images.append(upload, Buffer.from(coming));
  expect(await findRemainingWords(folder, [unsent, coming])).toEqual([unsent, coming]);
  expect(await conversations.erase()).toBe(0);
  expect(await findRemainingWords(folder, [unsent, coming])).toEqual([]);
  await expect(images.finish(upload)).rejects.toMatchObject({ name: 'NotFoundError' });
  expect(await imageWith(folder, unsent)).toMatchObject({ type: 'image/png' });
});

test('a deletion during another read succeeds, and its traces are erased with the next one', async () => {
  await using folder = await openChatFolder();
  const { conversations, dataDir, logged } = folder;
  const [first, second] = [createUniqueWord(), createUniqueWord()];
  const { id: one } = await conversations.add(createConversationInput('m'));
  const { id: other } = await conversations.add(createConversationInput('m'));
  await addConversationTurn(folder, one, [first]);
  await addConversationTurn(folder, other, [second]);
  const reader = new DatabaseSync(join(dataDir, 'chat.db'));
  try {
    reader.exec('begin');
    reader.prepare('select count(*) from message').all();
    await conversations.remove(one);
    await expect(conversations.get(one)).rejects.toMatchObject({ name: 'NotFoundError' });
    expect(logged).toEqual([expect.stringContaining('warn Traces of deleted messages remain')]);
  } finally {
    reader.close();
  }
  await conversations.remove(other);
  expect(logged).toHaveLength(1);
  expect(await findRemainingWords(folder, [first, second])).toEqual([]);
});

test('copies of the conversations contain nothing that was deleted, and a new one is made', async () => {
  await using folder = await openChatFolder();
  const { conversations, dataDir } = folder;
  const [removed, kept] = [createUniqueWord(), createUniqueWord()];
  const { id } = await conversations.add(createConversationInput('m'));
  const { id: other } = await conversations.add(createConversationInput('m'));
  await addConversationTurn(folder, id, [removed]);
  await addConversationTurn(folder, other, [kept]);
  const name = await createCopy(folder.host, 'chat');
  const copy = await readFile(join(dataDir, 'copies', `${name}.db`), 'latin1');
  expect([copy.includes(removed), copy.includes(kept)]).toEqual([true, true]);
  const copies = startDailyCopies(folder.host);
  const { store, host } = folder;
  await openConversations({ store, host, clock: host, purgeWith: copies.purgeWith }).remove(id);
  let after = await listCopies(dataDir);
  while (after.length === 0) after = await listCopies(dataDir);
  await copies.close();
  expect(await findRemainingWords(folder, [removed, kept])).toEqual([kept]);
  expect((await readFile(after[0]?.file ?? '', 'latin1')).includes(kept)).toBe(true);
});
