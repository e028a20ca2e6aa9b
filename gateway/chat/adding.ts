import type { Kysely } from 'kysely';
import {
  type Answer,
  type ChatMessage,
  type ConversationId,
  type Lane,
  MessageId,
  type Said,
} from '../../shared/chat.ts';
import { NotFound, Refused } from '../refused.ts';
import type { ChatTables } from '../store/store.ts';
import type { NewTurn } from './conversations.ts';
import { type ChatGround, newId } from './ground.ts';
import { lanesOf } from './rows.ts';
import { titleOf } from './title.ts';
import { findConversation, noMessage, readMessages } from './tree.ts';

type Db = Kysely<ChatTables>;

/** Adds turns and takes their lanes there, in one transaction. Gives the answers. @throws NotFound, Refused */
export async function addTurns(
  ground: ChatGround,
  id: ConversationId,
  turns: readonly NewTurn[],
): Promise<ChatMessage[]> {
  return await ground.inTurn(async () => {
    await checkImages(ground, turns);
    return await ground.store.db.transaction().execute(async (inside) => {
      const { seq, title, lanes, changed_at: changed } = await findConversation(inside, id);
      const growth = new Growth(ground, { db: inside, conversation: seq });
      const after = lanesOf({ lanes });
      const answers: MessageId[] = [];
      for (const turn of turns) {
        const answer = await growth.add(turn);
        answers.push(answer);
        after[turn.lane] = { ...laneAt(after, turn.lane), at: answer };
      }
      const said = turns.find((turn) => turn.said !== null)?.said ?? null;
      await inside
        .updateTable('conversation')
        .set({
          lanes: JSON.stringify(after),
          title: title === '' && said !== null ? titleOf(said) : title,
          changed_at: Math.max(changed, ground.host.now()),
        })
        .where('seq', '=', seq)
        .execute();
      // Within: what is kept as on its way must be known to who asks for it.
      return await readMessages(inside, answers);
    });
  });
}

/** @throws NotFound */
export function laneAt(lanes: readonly Lane[], index: number): Lane {
  const lane = lanes[index];
  if (lane === undefined) throw new NotFound('This model is not in the conversation any more.');
  return lane;
}

async function checkImages({ images }: ChatGround, turns: readonly NewTurn[]): Promise<void> {
  for (const hash of new Set(turns.flatMap(({ said }) => (said === null ? [] : imagesOf(said))))) {
    if ((await images.find(hash)) !== null) continue;
    throw new Refused('An image is not there any more. Add it again.', 'image');
  }
}

function imagesOf({ files }: Said): string[] {
  return files.flatMap((file) => (file.kind === 'image' ? [file.hash] : []));
}

interface Grown {
  readonly id: MessageId;
  readonly seq: number;
}

interface Content {
  readonly parent: number | null;
  readonly said: Said;
  readonly answer: Answer | null;
}

/** A conversation that turns are added to, within a transaction. */
class Growth {
  readonly #ground: ChatGround;
  readonly #db: Db;
  readonly #conversation: number;
  /** What was said in these turns, by what was said after what. */
  readonly #said = new Map<string, number>();

  constructor(
    ground: ChatGround,
    { db, conversation }: { readonly db: Db; readonly conversation: number },
  ) {
    this.#ground = ground;
    this.#db = db;
    this.#conversation = conversation;
  }

  async add({ parent, said, answer }: NewTurn): Promise<MessageId> {
    const above = parent === null ? null : await this.#find(parent);
    const asked = said === null ? above : await this.#say(above, said);
    if (asked === null) throw noMessage();
    const content = { parent: asked, said: NOTHING_SAID, answer: waiting(answer) };
    return (await this.#insert(content)).id;
  }

  async #find(id: MessageId): Promise<number> {
    const found = await this.#db
      .selectFrom('message')
      .select('seq')
      .where('id', '=', id)
      .where('conversation', '=', this.#conversation)
      .executeTakeFirst();
    if (found === undefined) throw noMessage();
    return found.seq;
  }

  async #say(parent: number | null, said: Said): Promise<number> {
    const key = JSON.stringify([parent, said]);
    const there = this.#said.get(key);
    if (there !== undefined) return there;
    const { seq } = await this.#insert({ parent, said, answer: null });
    this.#said.set(key, seq);
    return seq;
  }

  async #insert({ parent, said, answer }: Content): Promise<Grown> {
    const id = MessageId.parse(newId(this.#ground));
    const { seq } = await this.#db
      .insertInto('message')
      .values({
        id,
        conversation: this.#conversation,
        parent,
        created_at: this.#ground.host.now(),
        model: answer?.model ?? null,
        state: answer?.state ?? null,
        length: said.text.length,
      })
      .returning('seq')
      .executeTakeFirstOrThrow();
    await this.#db
      .insertInto('message_content')
      .values({
        seq,
        text: said.text,
        reasoning: '',
        files: JSON.stringify(said.files),
        answer: answer === null ? null : JSON.stringify(answer),
        under_way: answer === null ? 0 : 1,
      })
      .execute();
    for (const hash of new Set(imagesOf(said))) {
      await this.#db.insertInto('message_image').values({ hash, message: seq }).execute();
    }
    return { id, seq };
  }
}

const NOTHING_SAID: Said = { text: '', files: [] };

function waiting({ model, protocol, plain }: NewTurn['answer']): Answer {
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
