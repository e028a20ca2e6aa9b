import type {
  AnswerState,
  ChatProblem,
  ConversationId,
  MessageId,
} from '../../../shared/chat/chat.ts';
import type { Statement } from '../../store/store.ts';
import type { AnswerContent } from '../types.ts';
import type { ChatDeps } from './deps.ts';
import { parseAnswer } from './rows.ts';

const ACTIVE_STATES: readonly AnswerState[] = ['waiting', 'streaming'];

/** Saves the current state of an answer. Does nothing when it was deleted. */
export async function saveAnswer(
  { store, host }: ChatDeps,
  message: MessageId,
  content: AnswerContent,
): Promise<void> {
  const { text, reasoning, answer } = content;
  const isActive = ACTIVE_STATES.includes(answer.state);
  await store.writeIfFirstChanges([
    updateStateStatement(answer.state, text.length, message),
    {
      sql: `update message_content set text = ?, reasoning = ?, answer = ?, under_way = ?
        where seq = (select seq from message where id = ?)`,
      rows: [[text, reasoning, JSON.stringify(answer), isActive ? 1 : 0, message]],
    },
    {
      sql: `update conversation set changed_at = max(changed_at, ?)
        where seq = (select conversation from message where id = ?)`,
      rows: isActive ? [] : [[host.now(), message]],
    },
  ]);
}

function updateStateStatement(state: AnswerState, length: number, message: MessageId): Statement {
  return {
    sql: 'update message set state = ?, length = ? where id = ? and model is not null',
    rows: [[state, length, message]],
  };
}

/** Marks every unfinished answer as broken, or as refused when nothing arrived. Resolves with their conversations. */
export async function markInterrupted(
  { store }: ChatDeps,
  problem: ChatProblem,
): Promise<ReadonlySet<ConversationId>> {
  const interrupted = await store.db
    .selectFrom('message')
    .innerJoin('message_content as content', 'content.seq', 'message.seq')
    .innerJoin('conversation', 'conversation.seq', 'message.conversation')
    .select(['message.id', 'conversation.id as conversation', 'message.length'])
    .select(['content.answer', 'content.reasoning', 'content.seq'])
    .where('message.state', 'in', ACTIVE_STATES)
    .execute();
  const statements = interrupted.flatMap(({ id, seq, length, reasoning, answer }): Statement[] => {
    if (answer === null) return [];
    const state = length === 0 && reasoning === '' ? 'refused' : 'broken';
    const after = JSON.stringify({ ...parseAnswer(answer), state, problem });
    return [
      updateStateStatement(state, length, id),
      {
        sql: 'update message_content set answer = ?, under_way = 0 where seq = ?',
        rows: [[after, seq]],
      },
    ];
  });
  if (statements.length > 0) await store.write(statements);
  return new Set(interrupted.map(({ conversation }) => conversation));
}
