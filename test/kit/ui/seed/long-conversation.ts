import type { ConversationId } from '../../../../shared/chat/chat.ts';
import { openConversations } from '../../../../gateway/chat/chat.ts';
import type { Repositories } from '../../../../gateway/gateway.ts';
import { answerTo, PLAIN_SETTINGS } from './conversations.ts';

const LANE = { model: 'aurora/aurora-large', protocol: 'chat' } as const;

/**
 * Puts one conversation of so many messages into a data folder. Each names its place, from 1: the first says `Question 1: …`, the second
 * `Answer 2: …`, and the word `number7` stands in the seventh alone.
 */
export async function seedLongConversation(
  repositories: Repositories,
  count = 10_000,
): Promise<ConversationId> {
  const { host } = repositories;
  const { store } = await repositories.openChatRepository();
  const conversations = openConversations({
    store,
    host,
    clock: host,
    purgeWith: (work) => work(),
  });
  const { id } = await conversations.add({ settings: PLAIN_SETTINGS, lanes: [LANE] });
  const question = { text: toText(1), files: [] };
  const turn = { lane: 0, parent: null, content: question, answer: { ...LANE, plain: false } };
  const [first] = await conversations.addTurns(id, [turn]);
  if (first === undefined || first.answer === null) throw new Error('Nothing was added.');
  const content = answerTo(first.answer, { text: toText(2) });
  await conversations.saveAnswer(first.id, content);
  const places = Array.from({ length: count - 2 }, (_, n) => n + 3);
  const toId = (place: number) => (place === 2 ? first.id : `${id}-${place}`);
  const answer = JSON.stringify(content.answer);
  // Added one by one, ten thousand take half a minute.
  await store.write([
    {
      sql: ADD_MESSAGE,
      rows: places.map((place) => {
        const kind = asks(place) ? [null, null] : [LANE.model, 'done'];
        return [toId(place), host.now(), ...kind, toText(place).length, toId(place - 1)];
      }),
    },
    {
      sql: ADD_CONTENT,
      rows: places.map((place) => [toText(place), asks(place) ? null : answer, toId(place)]),
    },
    { sql: MOVE_LANE, rows: [[JSON.stringify([{ ...LANE, at: toId(count) }]), id]] },
  ]);
  return id;
}

const ADD_MESSAGE = `insert into message (id, created_at, model, state, length, conversation, parent)
  select ?, ?, ?, ?, ?, conversation, seq from message where id = ?`;
const ADD_CONTENT = `insert into message_content (text, reasoning, files, answer, under_way, seq)
  select ?, '', '[]', ?, 0, seq from message where id = ?`;
const MOVE_LANE = 'update conversation set lanes = ? where id = ?';

function asks(place: number): boolean {
  return place % 2 === 1;
}

function toText(place: number): string {
  if (asks(place)) return `Question ${place}: what comes after number${place}?`;
  const points = Array.from({ length: place % 7 }, (_, n) => `- point ${n + 1} of it`);
  return [`Answer ${place}: **number${place}** it is.`, ...points].join('\n\n');
}
