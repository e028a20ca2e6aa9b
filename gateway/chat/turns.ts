import type {
  ChatEvent,
  ChatMessage,
  Conversation,
  ConversationChange,
  ConversationId,
  LaneModel,
  MessageId,
  TextProtocol,
} from '../../shared/chat.ts';
import { makeInTurn } from '../in-turn.ts';
import { NotFound, Refused } from '../refused.ts';
import type { RetryAsked, SendAsked } from './chat.ts';
import type { Conversations, NewTurn } from './conversations.ts';
import { Turn, type TurnGround } from './turn.ts';

export interface TurnsOptions {
  readonly conversations: Conversations;
  readonly ground: Omit<TurnGround, 'conversations' | 'closing' | 'tell'>;
  readonly protocolOf: (model: string) => Promise<TextProtocol>;
  readonly tell: (id: ConversationId, event: ChatEvent) => void;
  /** Called when an answer begins and when one has ended. */
  readonly onRunning: () => void;
}

/** Where something is said: in a lane, after a message. */
interface Place {
  readonly lane: number;
  readonly parent: MessageId | null;
}

/** An answer on its way, and the lanes that asked for it, whatever they show meanwhile. */
interface Running {
  readonly turn: Turn;
  lanes: ReadonlySet<number>;
}

/** The answers on their way: one at a time in each lane. */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #ground: TurnGround;
  readonly #running = new Map<MessageId, Running>();
  /** Two who ask at the same moment must not both find a lane free. */
  readonly #inTurn = makeInTurn();
  #closing = false;

  constructor(options: TurnsOptions) {
    this.#options = options;
    const { ground, conversations, tell } = options;
    this.#ground = { ...ground, conversations, tell, closing: () => this.#closing };
  }

  /** The answers of a conversation that are on their way, as they are now. */
  running(id: ConversationId): ChatMessage[] {
    return this.#of(id).map(({ turn }) => turn.message);
  }

  send({ id, said, instead, ends }: SendAsked): Promise<ChatMessage[]> {
    return this.#inTurn(async () => {
      const { conversations } = this.#options;
      const conversation = await conversations.get(id);
      const places =
        instead.length === 0
          ? conversation.lanes.map(({ at }, lane) => ({ lane, parent: at }))
          : await this.#placesInstead(conversation, instead);
      this.#refuse(conversation, places);
      refuseMoved(conversation, ends);
      const turns = await Promise.all(
        places.map(async ({ lane, parent }): Promise<NewTurn> => {
          const asked = laneOf(conversation, lane);
          return { lane, parent, said, answer: await this.#answerOf(asked) };
        }),
      );
      const added = await conversations.addTurns(id, turns);
      const lanes = places.map(({ lane }) => new Set([lane]));
      return this.#start(conversation, { added, lanes });
    });
  }

  retry(asked: RetryAsked): Promise<ChatMessage> {
    return this.#inTurn(async () => {
      const { conversations } = this.#options;
      const { conversation, paths } = await conversations.open(asked.id);
      const [before] = await conversations.messages([asked.message]);
      if (before === undefined || before.conversation !== asked.id) throw gone();
      if (before.answer === null) throw new Refused('Only an answer can be asked for once more.');
      const lanes = showing(paths, [asked.message]);
      const [first, ...others] = lanes;
      if (first === undefined) throw gone();
      this.#refuse(
        conversation,
        lanes.map((lane) => ({ lane })),
      );
      const { model = before.answer.model, plain } = asked;
      const same = model === before.answer.model ? before.answer.protocol : null;
      const protocol = asked.protocol ?? same;
      const answer = { ...(await this.#answerOf({ model, protocol })), plain };
      const turn = { lane: first, parent: before.parent, said: null, answer };
      const added = await conversations.addTurns(asked.id, [turn]);
      const [message] = this.#start(conversation, { added, lanes: [new Set(lanes)] });
      if (message === undefined) throw gone();
      for (const lane of others) await conversations.goTo(asked.id, lane, message.id);
      return message;
    });
  }

  /** Changes a conversation; answers on their way stay with the lanes that go on from theirs. @throws NotFound */
  change(id: ConversationId, change: ConversationChange): Promise<Conversation> {
    return this.#inTurn(async () => {
      const changed = await this.#options.conversations.change(id, change);
      const { lanes } = change;
      if (lanes === undefined) return changed;
      for (const running of this.#of(id)) {
        const before = running.lanes;
        running.lanes = new Set(
          lanes.flatMap(({ from }, lane) => (before.has(from) ? [lane] : [])),
        );
      }
      return changed;
    });
  }

  async stop(message: MessageId): Promise<void> {
    await this.#running.get(message)?.turn.stop('person');
  }

  /** Stops what runs in a conversation, or in all of them, and does the work before anything else begins. */
  emptied<Value>(what: ConversationId | 'all', work: () => Promise<Value>): Promise<Value> {
    return this.#inTurn(async () => {
      const turns = what === 'all' ? [...this.#running.values()] : this.#of(what);
      await Promise.all(turns.map(({ turn }) => turn.stop('removal')));
      return await work();
    });
  }

  async close(drainMs: number): Promise<void> {
    this.#closing = true;
    // Who was let in a moment ago is waited for, too.
    await this.#inTurn(async () => undefined);
    const turns = [...this.#running.values()].map(({ turn }) => turn);
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, drainMs);
    await Promise.race([Promise.all(turns.map(({ ended }) => ended)), late]);
    clearTimeout(timer);
    await Promise.all(turns.map((turn) => turn.stop('gatehouse')));
  }

  #of(id: ConversationId): Running[] {
    return [...this.#running.values()].filter(({ turn }) => turn.conversation === id);
  }

  async #placesInstead(
    { id }: Conversation,
    instead: readonly MessageId[],
  ): Promise<readonly Place[]> {
    const { conversations } = this.#options;
    const { paths } = await conversations.open(id);
    const before = await conversations.messages(instead);
    const reworded = before.filter(
      ({ answer, conversation }) => answer === null && conversation === id,
    );
    const places = new Map<number, Place>();
    for (const { id: message, parent } of reworded) {
      for (const lane of showing(paths, [message])) places.set(lane, { lane, parent });
    }
    if (places.size === 0) throw gone();
    return [...places.values()];
  }

  /** @throws Refused while an answer is on its way in one of the lanes, or Gatehouse ends */
  #refuse(conversation: Conversation, places: readonly Pick<Place, 'lane'>[]): void {
    if (this.#closing) throw new Refused('Gatehouse is about to end. Nothing was sent.');
    const all = this.#of(conversation.id);
    for (const { lane } of places) {
      const { at } = laneOf(conversation, lane);
      const running = all.find(({ turn, lanes }) => lanes.has(lane) || turn.id === at);
      if (running === undefined) continue;
      const { model } = running.turn;
      throw new Refused(
        running.turn.id === at
          ? `${model} is still answering. Stop it first, or wait for it.`
          : `${model} is still answering in another version. Go to it and stop it first, or wait for it.`,
      );
    }
  }

  async #answerOf({ model, protocol }: LaneModel): Promise<NewTurn['answer']> {
    return { model, protocol: protocol ?? (await this.#options.protocolOf(model)), plain: false };
  }

  /** `lanes`: of each message, in their order. */
  #start(
    conversation: Conversation,
    {
      added,
      lanes,
    }: { readonly added: readonly ChatMessage[]; readonly lanes: readonly ReadonlySet<number>[] },
  ): ChatMessage[] {
    const { onRunning } = this.#options;
    const { settings, id } = conversation;
    for (const [index, message] of added.entries()) {
      const { answer, siblings } = message;
      if (answer === null) continue;
      for (const other of this.#of(id)) other.turn.learnSiblings(siblings);
      const turn = new Turn({ message, answer, settings }, this.#ground);
      this.#running.set(turn.id, { turn, lanes: lanes[index] ?? new Set() });
      void turn.ended.finally(() => {
        this.#running.delete(turn.id);
        onRunning();
      });
    }
    onRunning();
    return [...added];
  }
}

/** What is sent a second time finds the lanes where the first time left them. @throws Refused */
function refuseMoved({ lanes }: Conversation, ends: SendAsked['ends']): void {
  if (ends === undefined) return;
  if (ends.length === lanes.length && lanes.every(({ at }, lane) => at === ends[lane])) return;
  throw new Refused(
    'The conversation has gone on meanwhile, here or in another window. Nothing was sent: look at it, then send again.',
  );
}

/** The lanes that show one of these messages. */
function showing(
  paths: readonly (readonly { readonly id: MessageId }[])[],
  messages: readonly MessageId[],
): number[] {
  return paths.flatMap((path, lane) =>
    path.some(({ id }) => messages.includes(id)) ? [lane] : [],
  );
}

function laneOf({ lanes }: Conversation, lane: number) {
  const found = lanes[lane];
  if (found === undefined)
    throw new NotFound('This model is not part of the conversation any more.');
  return found;
}

function gone(): NotFound {
  return new NotFound('This message is not shown any more. Look at the conversation again.');
}
