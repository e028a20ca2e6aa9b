import type { AnswerState, ChatProblem, ConversationId, MessageId } from '../../shared/chat.ts';
import type { Step } from '../store/store.ts';
import type { AnswerContent } from './conversations.ts';
import type { ChatGround } from './ground.ts';
import { answerOf } from './rows.ts';

const UNDER_WAY: readonly AnswerState[] = ['waiting', 'streaming'];

/** Keeps an answer as it is now. Nothing happens when it is gone. */
export async function saveAnswer(
  { store, host }: ChatGround,
  message: MessageId,
  content: AnswerContent,
): Promise<void> {
  const { text, reasoning, answer } = content;
  const underWay = UNDER_WAY.includes(answer.state);
  await store.writeIf([
    stateStep(answer.state, text.length, message),
    {
      sql: `update message_content set text = ?, reasoning = ?, answer = ?, under_way = ?
        where seq = (select seq from message where id = ?)`,
      rows: [[text, reasoning, JSON.stringify(answer), underWay ? 1 : 0, message]],
    },
    {
      sql: `update conversation set changed_at = max(changed_at, ?)
        where seq = (select conversation from message where id = ?)`,
      rows: underWay ? [] : [[host.now(), message]],
    },
  ]);
}

function stateStep(state: AnswerState, length: number, message: MessageId): Step {
  return {
    sql: 'update message set state = ?, length = ? where id = ? and model is not null',
    rows: [[state, length, message]],
  };
}

/** Turns every answer under way into a broken one, or a refused one when nothing came. Gives their conversations. */
export async function breakLeft(
  { store }: ChatGround,
  problem: ChatProblem,
): Promise<ReadonlySet<ConversationId>> {
  const left = await store.db
    .selectFrom('message')
    .innerJoin('message_content as content', 'content.seq', 'message.seq')
    .innerJoin('conversation', 'conversation.seq', 'message.conversation')
    .select(['message.id', 'conversation.id as conversation', 'message.length'])
    .select(['content.answer', 'content.reasoning', 'content.seq'])
    .where('message.state', 'in', UNDER_WAY)
    .execute();
  const steps = left.flatMap(({ id, seq, length, reasoning, answer }): Step[] => {
    if (answer === null) return [];
    const state = length === 0 && reasoning === '' ? 'refused' : 'broken';
    const after = JSON.stringify({ ...answerOf(answer), state, problem });
    return [
      stateStep(state, length, id),
      {
        sql: 'update message_content set answer = ?, under_way = 0 where seq = ?',
        rows: [[after, seq]],
      },
    ];
  });
  if (steps.length > 0) await store.write(steps);
  return new Set(left.map(({ conversation }) => conversation));
}
