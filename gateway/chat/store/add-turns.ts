import type { Kysely } from 'kysely';
import {
  type Answer,
  type ChatMessage,
  type ConversationId,
  type Lane,
  MessageId,
  type UserMessage,
} from '../../../shared/chat/chat.ts';
import { NotFoundError, UserError } from '../../errors.ts';
import type { ChatTables } from '../../store/store.ts';
import type { NewTurn } from '../types.ts';
import { type ChatDeps, createId } from './deps.ts';
import { parseLanes } from './rows.ts';
import { createTitle } from './title.ts';
import { findConversation, messageNotFoundError, readMessages } from './message-tree.ts';

type Db = Kysely<ChatTables>;

/** Adds turns and moves their lanes to them, in one transaction. Resolves with the answers. @throws NotFoundError, UserError */
export async function addTurns(
  deps: ChatDeps,
  id: ConversationId,
  turns: readonly NewTurn[],
): Promise<ChatMessage[]> {
  return await deps.mutex.runExclusive(async () => {
    await checkImages(deps, turns);
    return await deps.store.db.transaction().execute(async (trx) => {
      const { seq, title, lanes, changed_at: changed } = await findConversation(trx, id);
      const growth = new TurnWriter(deps, { db: trx, conversation: seq });
      const after = parseLanes({ lanes });
      const answers: MessageId[] = [];
      for (const turn of turns) {
        const answer = await growth.add(turn);
        answers.push(answer);
        after[turn.lane] = { ...getLane(after, turn.lane), at: answer };
      }
      const content = turns.find((turn) => turn.content !== null)?.content ?? null;
      await trx
        .updateTable('conversation')
        .set({
          lanes: JSON.stringify(after),
          title: title === '' && content !== null ? createTitle(content) : title,
          changed_at: Math.max(changed, deps.host.now()),
        })
        .where('seq', '=', seq)
        .execute();
      // Inside the transaction: an answer must be registered as running before others can read it.
      return await readMessages(trx, answers);
    });
  });
}

/** @throws NotFoundError */
export function getLane(lanes: readonly Lane[], index: number): Lane {
  const lane = lanes[index];
  if (lane === undefined) throw new NotFoundError('This model is no longer in the conversation.');
  return lane;
}

async function checkImages({ images }: ChatDeps, turns: readonly NewTurn[]): Promise<void> {
  for (const hash of new Set(
    turns.flatMap(({ content }) => (content === null ? [] : imageHashes(content))),
  )) {
    if ((await images.find(hash)) !== null) continue;
    throw new UserError('An image no longer exists. Add it again.', 'image');
  }
}

function imageHashes({ files }: UserMessage): string[] {
  return files.flatMap((file) => (file.kind === 'image' ? [file.hash] : []));
}

interface InsertedMessage {
  readonly id: MessageId;
  readonly seq: number;
}

interface NewContent {
  readonly parent: number | null;
  readonly message: UserMessage;
  readonly answer: Answer | null;
}

/** Adds turns to a conversation within a transaction. */
class TurnWriter {
  readonly #deps: ChatDeps;
  readonly #db: Db;
  readonly #conversation: number;
  /** Ids of person's messages in these turns, by their parent and text, so that lanes share equal ones. */
  readonly #userMessages = new Map<string, number>();

  constructor(
    deps: ChatDeps,
    { db, conversation }: { readonly db: Db; readonly conversation: number },
  ) {
    this.#deps = deps;
    this.#db = db;
    this.#conversation = conversation;
  }

  async add({ parent, content: userMessage, answer }: NewTurn): Promise<MessageId> {
    const parentSeq = parent === null ? null : await this.#find(parent);
    const questionSeq =
      userMessage === null ? parentSeq : await this.#addUserMessage(parentSeq, userMessage);
    if (questionSeq === null) throw messageNotFoundError();
    const content = {
      parent: questionSeq,
      message: NO_MESSAGE,
      answer: createWaitingAnswer(answer),
    };
    return (await this.#insert(content)).id;
  }

  async #find(id: MessageId): Promise<number> {
    const found = await this.#db
      .selectFrom('message')
      .select('seq')
      .where('id', '=', id)
      .where('conversation', '=', this.#conversation)
      .executeTakeFirst();
    if (found === undefined) throw messageNotFoundError();
    return found.seq;
  }

  async #addUserMessage(parent: number | null, message: UserMessage): Promise<number> {
    const key = JSON.stringify([parent, message]);
    const existing = this.#userMessages.get(key);
    if (existing !== undefined) return existing;
    const { seq } = await this.#insert({ parent, message, answer: null });
    this.#userMessages.set(key, seq);
    return seq;
  }

  async #insert({ parent, message, answer }: NewContent): Promise<InsertedMessage> {
    const id = MessageId.parse(createId(this.#deps));
    const { seq } = await this.#db
      .insertInto('message')
      .values({
        id,
        conversation: this.#conversation,
        parent,
        created_at: this.#deps.host.now(),
        model: answer?.model ?? null,
        state: answer?.state ?? null,
        length: message.text.length,
      })
      .returning('seq')
      .executeTakeFirstOrThrow();
    await this.#db
      .insertInto('message_content')
      .values({
        seq,
        text: message.text,
        reasoning: '',
        files: JSON.stringify(message.files),
        answer: answer === null ? null : JSON.stringify(answer),
        under_way: answer === null ? 0 : 1,
      })
      .execute();
    for (const hash of new Set(imageHashes(message))) {
      await this.#db.insertInto('message_image').values({ hash, message: seq }).execute();
    }
    return { id, seq };
  }
}

const NO_MESSAGE: UserMessage = { text: '', files: [] };

function createWaitingAnswer({ model, protocol, plain }: NewTurn['answer']): Answer {
  return {
    state: 'waiting',
    model,
    protocol,
    plain,
    modelServed: null,
    finish: null,
    exchangeId: null,
    firstTokenMs: null,
    durationMs: null,
    tokensPerSecond: null,
    usage: null,
    cost: null,
    problem: null,
  };
}
