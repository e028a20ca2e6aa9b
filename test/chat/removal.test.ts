import { afterAll, assert, beforeAll, expect, test } from 'vitest';
import { type House, startHouse } from '../kit/house.ts';
import { type Desk, deskOf, lane } from './desk.ts';

let house: House;
let desk: Desk;
beforeAll(async () => {
  house = await startHouse();
  desk = deskOf(house);
});
afterAll(() => house[Symbol.asyncDispose]());

/** Takes a minute. */
const SLOW = `${'word '.repeat(3000)} [scenario slow-stream=20]`;

test('who follows a conversation hears of its removal, and nothing after it', async () => {
  const chat = await house.gateway.chat();
  const { conversation: id } = await desk.asked('Hello');
  const events = chat.follow(id, undefined);
  expect((await events.next()).value).toMatchObject({ kind: 'message' });
  const next = events.next();
  await chat.remove(id);
  expect((await next).value).toEqual({ kind: 'removed' });
  expect(await events.next()).toMatchObject({ done: true });
  await expect(chat.follow(id, undefined).next()).rejects.toHaveProperty('name', 'NotFound');
  await expect(chat.remove(id)).rejects.toHaveProperty('name', 'NotFound');
});

test('what is removed while it runs is stopped, and does not come back', async () => {
  const chat = await house.gateway.chat();
  const id = await desk.begin([lane()]);
  const [message] = await desk.say(id, SLOW);
  assert(message !== undefined);
  const { exchangeId } = (await desk.begun(message)).answer;
  await chat.remove(id);
  expect(await chat.conversations.messages([message.id])).toEqual([]);
  expect(await house.recordOf(exchangeId)).toMatchObject({ endedBy: 'client' });
  const [other] = await desk.say(await desk.begin([lane()]), SLOW);
  assert(other !== undefined);
  expect(await chat.erase()).toBe(1);
  expect(await chat.conversations.page({ find: '', limit: 5 })).toMatchObject({
    conversations: [],
  });
  expect(chat.runs(other.conversation)).toBe(false);
});
