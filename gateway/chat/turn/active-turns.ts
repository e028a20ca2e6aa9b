import { Mutex } from 'async-mutex';
import type {
  ChatEvent,
  ChatMessage,
  Conversation,
  ConversationChange,
  ConversationId,
  LaneModel,
  MessageId,
  TextProtocol,
} from '../../../shared/chat/chat.ts';
import { NotFoundError, UserError } from '../../errors.ts';
import type { RetryRequest, SendRequest, Conversations, NewTurn } from '../types.ts';
import { Turn, type TurnDeps } from './turn.ts';

export interface ActiveTurnsOptions {
  readonly conversations: Conversations;
  readonly deps: Omit<TurnDeps, 'conversations' | 'isClosing' | 'publish'>;
  readonly findProtocol: (model: string) => Promise<TextProtocol>;
  readonly publish: (id: ConversationId, event: ChatEvent) => void;
  /** Called when an answer starts and when it has ended. */
  readonly onRunning: () => void;
}

/** A position for a new message: a lane, after a message. */
interface LanePosition {
  readonly lane: number;
  readonly parent: MessageId | null;
}

/** A running answer, and the lanes that asked for it, whatever they show now. */
interface RunningTurn {
  readonly turn: Turn;
  lanes: ReadonlySet<number>;
}

/** The running answers: one at a time in each lane. */
export class ActiveTurns {
  readonly #options: ActiveTurnsOptions;
  readonly #deps: TurnDeps;
  readonly #running = new Map<MessageId, RunningTurn>();
  /** Two simultaneous requests must not both find a lane free. */
  readonly #mutex = new Mutex();
  #closing = false;

  constructor(options: ActiveTurnsOptions) {
    this.#options = options;
    const { deps, conversations, publish } = options;
    this.#deps = { ...deps, conversations, publish, isClosing: () => this.#closing };
  }

  /** Returns the running answers of a conversation, as they are now. */
  running(id: ConversationId): ChatMessage[] {
    return this.#listTurns(id).map(({ turn }) => turn.message);
  }

  send({ id, content, replaces, expectedHeads }: SendRequest): Promise<ChatMessage[]> {
    return this.#mutex.runExclusive(async () => {
      const { conversations } = this.#options;
      const conversation = await conversations.get(id);
      const positions =
        replaces.length === 0
          ? conversation.lanes.map(({ at }, lane) => ({ lane, parent: at }))
          : await this.#findReplacedPositions(conversation, replaces);
      this.#assertLanesFree(conversation, positions);
      assertHeadsUnchanged(conversation, expectedHeads);
      const turns = await Promise.all(
        positions.map(async ({ lane, parent }): Promise<NewTurn> => {
          const laneState = getLane(conversation, lane);
          return { lane, parent, content, answer: await this.#createAnswer(laneState) };
        }),
      );
      const added = await conversations.addTurns(id, turns);
      const lanes = positions.map(({ lane }) => new Set([lane]));
      return this.#start(conversation, { added, lanes });
    });
  }

  retry(request: RetryRequest): Promise<ChatMessage> {
    return this.#mutex.runExclusive(async () => {
      const { conversations } = this.#options;
      const { conversation, paths } = await conversations.open(request.id);
      const [before] = await conversations.messages([request.message]);
      if (before === undefined || before.conversation !== request.id) throw messageNotShownError();
      if (before.answer === null) throw new UserError('Only an answer can be retried.');
      const lanes = findLanesShowing(paths, [request.message]);
      const [first, ...others] = lanes;
      if (first === undefined) throw messageNotShownError();
      this.#assertLanesFree(
        conversation,
        lanes.map((lane) => ({ lane })),
      );
      const { model = before.answer.model, plain } = request;
      const same = model === before.answer.model ? before.answer.protocol : null;
      const protocol = request.protocol ?? same;
      const answer = { ...(await this.#createAnswer({ model, protocol })), plain };
      const turn = { lane: first, parent: before.parent, content: null, answer };
      const added = await conversations.addTurns(request.id, [turn]);
      const [message] = this.#start(conversation, { added, lanes: [new Set(lanes)] });
      if (message === undefined) throw messageNotShownError();
      for (const lane of others) await conversations.selectBranch(request.id, lane, message.id);
      return message;
    });
  }

  /** Changes a conversation; running answers stay with the lanes that continue theirs. @throws NotFoundError */
  change(id: ConversationId, change: ConversationChange): Promise<Conversation> {
    return this.#mutex.runExclusive(async () => {
      const changed = await this.#options.conversations.change(id, change);
      const { lanes } = change;
      if (lanes === undefined) return changed;
      for (const running of this.#listTurns(id)) {
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

  /** Stops the running answers of a conversation, or all of them, and runs the work before anything else starts. */
  stopAndRun<Value>(target: ConversationId | 'all', work: () => Promise<Value>): Promise<Value> {
    return this.#mutex.runExclusive(async () => {
      const turns = target === 'all' ? [...this.#running.values()] : this.#listTurns(target);
      await Promise.all(turns.map(({ turn }) => turn.stop('removal')));
      return await work();
    });
  }

  async close(drainMs: number): Promise<void> {
    this.#closing = true;
    // Also waits for a turn that was admitted a moment ago.
    await this.#mutex.runExclusive(async () => undefined);
    const turns = [...this.#running.values()].map(({ turn }) => turn);
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, drainMs);
    await Promise.race([Promise.all(turns.map(({ ended }) => ended)), late]);
    clearTimeout(timer);
    await Promise.all(turns.map((turn) => turn.stop('gatehouse')));
  }

  #listTurns(id: ConversationId): RunningTurn[] {
    return [...this.#running.values()].filter(({ turn }) => turn.conversation === id);
  }

  async #findReplacedPositions(
    { id }: Conversation,
    replaces: readonly MessageId[],
  ): Promise<readonly LanePosition[]> {
    const { conversations } = this.#options;
    const { paths } = await conversations.open(id);
    const before = await conversations.messages(replaces);
    const reworded = before.filter(
      ({ answer, conversation }) => answer === null && conversation === id,
    );
    const positions = new Map<number, LanePosition>();
    for (const { id: message, parent } of reworded) {
      for (const lane of findLanesShowing(paths, [message])) positions.set(lane, { lane, parent });
    }
    if (positions.size === 0) throw messageNotShownError();
    return [...positions.values()];
  }

  /** @throws UserError while an answer is running in one of the lanes, or Gatehouse is quitting */
  #assertLanesFree(
    conversation: Conversation,
    positions: readonly Pick<LanePosition, 'lane'>[],
  ): void {
    if (this.#closing) throw new UserError('Gatehouse is quitting. Nothing was sent.');
    const all = this.#listTurns(conversation.id);
    for (const { lane } of positions) {
      const { at } = getLane(conversation, lane);
      const running = all.find(({ turn, lanes }) => lanes.has(lane) || turn.id === at);
      if (running === undefined) continue;
      const { model } = running.turn;
      throw new UserError(
        running.turn.id === at
          ? `${model} is still answering. Stop it first, or wait for it.`
          : `${model} is still answering in another version. Go to it and stop it first, or wait for it.`,
      );
    }
  }

  async #createAnswer({ model, protocol }: LaneModel): Promise<NewTurn['answer']> {
    return { model, protocol: protocol ?? (await this.#options.findProtocol(model)), plain: false };
  }

  /** `lanes`: the lanes of each message, in order. */
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
      for (const other of this.#listTurns(id)) other.turn.learnSiblings(siblings);
      const turn = new Turn({ message, answer, settings }, this.#deps);
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

/** Rejects a repeated request, which expects the lanes where the first one found them. @throws UserError */
function assertHeadsUnchanged({ lanes }: Conversation, ends: SendRequest['expectedHeads']): void {
  if (ends === undefined) return;
  if (ends.length === lanes.length && lanes.every(({ at }, lane) => at === ends[lane])) return;
  throw new UserError(
    'The conversation was changed here or in another window. Nothing was sent: check it, then send again.',
  );
}

/** Returns the lanes that show one of these messages. */
function findLanesShowing(
  paths: readonly (readonly { readonly id: MessageId }[])[],
  messages: readonly MessageId[],
): number[] {
  return paths.flatMap((path, lane) =>
    path.some(({ id }) => messages.includes(id)) ? [lane] : [],
  );
}

function getLane({ lanes }: Conversation, lane: number) {
  const found = lanes[lane];
  if (found === undefined)
    throw new NotFoundError('This model is no longer part of the conversation.');
  return found;
}

function messageNotShownError(): NotFoundError {
  return new NotFoundError('This message is no longer shown. Check the conversation.');
}
