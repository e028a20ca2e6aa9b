import { assert } from 'vitest';
import type {
  Answer,
  ChatEvent,
  ChatMessage,
  ChatSettings,
  ConversationId,
  LaneModel,
  MessageId,
  TextProtocol,
} from '../../../shared/chat/chat.ts';
import type { Harness } from '../gateway/harness.ts';

const SETTINGS: ChatSettings = {
  system: '',
  temperature: null,
  maxTokens: null,
  imagesAnyway: false,
};

/** An answer of a model. */
export type Answered = ChatMessage & { readonly answer: Answer };

/** A client for the chat of a harness. */
export interface ChatClient {
  begin(lanes: readonly LaneModel[], settings?: Partial<ChatSettings>): Promise<ConversationId>;
  /** Sends a message and returns the answers as they start. */
  send(id: ConversationId, text: string, instead?: readonly MessageId[]): Promise<ChatMessage[]>;
  /** Sends a message and waits for the end of the only answer. */
  ask(id: ConversationId, text: string): Promise<Answered>;
  /** Creates a conversation and sends this message in it. */
  askInNew(
    text: string,
    lane?: Partial<LaneModel>,
    settings?: Partial<ChatSettings>,
  ): Promise<Answered>;
  /** Waits for the end of an answer, as it is saved. */
  waitUntilDone(message: MessageId): Promise<Answered>;
  /** Waits until a part of the answer has arrived. */
  waitForText(message: ChatMessage): Promise<Answered>;
  /** Returns the saved answer. */
  load(message: MessageId): Promise<Answered>;
}

const ECHO = 'sandbox/echo';

export function lane(protocol: TextProtocol | null = 'chat', model = ECHO): LaneModel {
  return { model, protocol };
}

export function createChatClient({ gateway }: Pick<Harness, 'gateway'>): ChatClient {
  const load = async (id: MessageId): Promise<Answered> => {
    const [message] = await (await gateway.chat()).conversations.messages([id]);
    assert(message !== undefined && message.answer !== null);
    return { ...message, answer: message.answer };
  };
  const waitUntilDone = async (id: MessageId): Promise<Answered> => {
    const { conversation } = await load(id);
    return await until(conversation, (event) => isEnded(event, id));
  };
  const until = async (id: ConversationId, wanted: (event: ChatEvent) => boolean) => {
    const stopping = new AbortController();
    for await (const event of (await gateway.chat()).follow(id, stopping.signal)) {
      if (event.kind === 'message' && event.message.answer !== null && wanted(event)) {
        return { ...event.message, answer: event.message.answer };
      }
    }
    throw new Error('The conversation was removed.');
  };
  const begin: ChatClient['begin'] = async (lanes, settings) => {
    const conversation = await (
      await gateway.chat()
    ).conversations.add({
      lanes: [...lanes],
      settings: { ...SETTINGS, ...settings },
    });
    return conversation.id;
  };
  const send: ChatClient['send'] = async (id, text, instead = []) =>
    await (await gateway.chat()).send({ id, content: { text, files: [] }, replaces: instead });
  const ask: ChatClient['ask'] = async (id, text) => {
    const [message] = await send(id, text);
    assert(message !== undefined);
    return await waitUntilDone(message.id);
  };
  return {
    begin,
    send,
    ask,
    waitUntilDone,
    load,
    askInNew: async (text, one = {}, settings = {}) =>
      await ask(await begin([{ ...lane(), ...one }], settings), text),
    waitForText: ({ id, conversation }) =>
      until(
        conversation,
        (event) => event.kind === 'message' && event.message.id === id && event.message.text !== '',
      ),
  };
}

/** Returns whether the event reports the end of this answer. */
export function isEnded(event: ChatEvent, id: MessageId): boolean {
  if (event.kind !== 'message' || event.message.id !== id) return false;
  const state = event.message.answer?.state;
  return state !== 'waiting' && state !== 'streaming';
}
