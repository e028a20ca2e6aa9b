import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  Answer,
  ChatMessage,
  ConversationId,
  LaneModel,
  MessageId,
  TextProtocol,
} from '../../../../shared/chat/chat.ts';
import { ExchangeId } from '../../../../shared/exchange/exchange.ts';
import {
  type Conversations,
  openConversations,
  type AnswerContent,
  type NewTurn,
} from '../../../../gateway/chat/chat.ts';
import type { Repositories } from '../../../../gateway/gateway.ts';
import { countTokens } from '../../../../sandbox/text/tokens.ts';
import {
  conversationAboutPicture,
  type Reply,
  type SampleConversation,
  type ConversationIds,
} from './sample-conversation.ts';
import { SAMPLE_CONVERSATIONS } from './sample-conversations.ts';

const MINUTE = 60_000;
const TOKENS_PER_SECOND = 74;

/** Settings of a conversation in which nothing was set. */
export const PLAIN_SETTINGS = {
  system: '',
  temperature: null,
  maxTokens: null,
  imagesAnyway: false,
} as const;

/** Puts conversations into a data folder as a person has them after some weeks. Gives where they are, by their keys. */
export async function seedConversations(
  repositories: Repositories,
  { picture, talks = SAMPLE_CONVERSATIONS }: SeedConversationsOptions = {},
): Promise<ConversationIds> {
  const seen = picture === undefined ? [] : [await withPicture(repositories, picture)];
  const ids = new Map<string, ConversationId>();
  for (const talk of [...talks, ...seen].toReversed())
    ids.set(talk.key, await seedConversation(repositories, talk));
  return ids;
}

interface SeedConversationsOptions {
  /** A PNG file to talk about. */
  readonly picture?: Buffer;
  readonly talks?: readonly SampleConversation[];
}

async function withPicture(
  repositories: Repositories,
  picture: Buffer,
): Promise<SampleConversation> {
  const { host } = repositories;
  const { conversations } = await repositories.openChatRepository();
  const path = join(host.dataDir, 'terrace.png');
  await writeFile(path, picture);
  const kept = await conversations.images.importFile(path);
  await rm(path);
  return conversationAboutPicture({ kind: 'image', ...kept });
}

async function seedConversation(
  repositories: Repositories,
  talk: SampleConversation,
): Promise<ConversationId> {
  const { host } = repositories;
  const { store } = await repositories.openChatRepository();
  let now = host.now() - talk.minutesAgo * MINUTE;
  const conversations = openConversations({
    store,
    host: { ...host, now: () => (now += 4_000) },
    purgeWith: (work) => work(),
    clock: host,
  });
  const { system = '', temperature = null } = talk;
  const lanes = talk.models.map((model) => ({ model, protocol: 'chat' as const }));
  const settings = { ...PLAIN_SETTINGS, system, temperature };
  const { id } = await conversations.add({ settings, lanes });
  const place = { conversations, id, lanes };
  let tips: readonly (MessageId | null)[] = lanes.map(() => null);
  for (const turn of talk.turns) tips = await seedTurn(place, turn, tips);
  return id;
}

interface Place {
  readonly conversations: Conversations;
  readonly id: ConversationId;
  readonly lanes: readonly (LaneModel & { readonly protocol: TextProtocol })[];
}

/** Returns the answers that are shown. */
async function seedTurn(
  place: Place,
  { message, replies, before = [] }: SampleConversation['turns'][number],
  tips: readonly (MessageId | null)[],
): Promise<readonly MessageId[]> {
  const content = typeof message === 'string' ? { text: message, files: [] } : message;
  const asked = place.lanes.map((_, lane) => ({ lane, parent: tips[lane] ?? null, content }));
  const [first, ...rest] = await ask(place, asked, before[0] ? before : replies);
  if (first === undefined || before.length === 0) return [first, ...rest].flatMap(listId);
  const again = [...before.slice(1), ...replies].map((reply) => [reply]);
  let shown = first;
  for (const reply of again) {
    [shown = first] = await ask(place, [{ lane: 0, parent: first.parent, content: null }], reply);
  }
  return [shown.id];
}

async function ask(
  { conversations, id, lanes }: Place,
  asked: readonly Omit<NewTurn, 'answer'>[],
  replies: readonly Reply[],
): Promise<readonly ChatMessage[]> {
  const turns = asked.flatMap((turn) => {
    const model = lanes[turn.lane];
    return model === undefined ? [] : [{ ...turn, answer: { ...model, plain: false } }];
  });
  const answers = await conversations.addTurns(id, turns);
  for (const [place, { id: message, answer }] of answers.entries()) {
    const reply = replies[place];
    if (answer === null || reply === undefined) throw new Error('An answer has no reply.');
    await conversations.saveAnswer(message, answerTo(answer, reply));
  }
  return answers;
}

function listId(message: ChatMessage | undefined): readonly MessageId[] {
  return message === undefined ? [] : [message.id];
}

/** The whole answer as it is kept, with figures that fit its length. */
export function answerTo(answer: Answer, { text, reasoning = '', fields }: Reply): AnswerContent {
  const output = countTokens([text, reasoning]);
  const firstTokenMs = 380 + (output % 7) * 90;
  return {
    text,
    reasoning,
    answer: {
      ...answer,
      state: 'done',
      modelServed: answer.model,
      finish: 'stop',
      exchangeId: ExchangeId.parse(`ex-chat-${output}`),
      firstTokenMs,
      durationMs: firstTokenMs + (output / TOKENS_PER_SECOND) * 1_000,
      tokensPerSecond: TOKENS_PER_SECOND,
      usage: {
        input: 60 + output,
        output,
        cacheRead: null,
        cacheWrite: null,
        cacheWriteHour: null,
        media: null,
        reasoning: reasoning === '' ? null : countTokens([reasoning]),
        source: 'reported',
        reportedPart: null,
      },
      ...fields,
    },
  };
}
