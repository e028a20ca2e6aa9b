import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, uptime } from 'node:os';
import { join } from 'node:path';
import { removeCopies } from '../../../gateway/backup/backup.ts';
import { type Conversations, openConversations } from '../../../gateway/chat/chat.ts';
import type { Host } from '../../../gateway/host.ts';
import { type ChatTables, openChatStore, type Store } from '../../../gateway/store/store.ts';
import {
  type Answer,
  type ChatMessage,
  type ConversationId,
  type MessageId,
  type NewConversation,
  UserMessage,
} from '../../../shared/chat/chat.ts';

/** Conversations in a temporary data folder, with a clock that the test sets. */
export interface ChatFolder extends AsyncDisposable {
  readonly conversations: Conversations;
  readonly store: Store<ChatTables>;
  readonly dataDir: string;
  readonly host: Host;
  readonly clock: { now: number };
  /** Lines of the application log. */
  readonly logged: readonly string[];
}

export async function openChatFolder(): Promise<ChatFolder> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-chat-'));
  const logged: string[] = [];
  const clock = { now: Date.UTC(2026, 10, 21, 12) };
  const host: Host = {
    dataDir,
    secrets: {
      read: () => Promise.resolve({ state: 'absent' }),
      write: () => Promise.resolve({ state: 'done' }),
      remove: () => Promise.resolve({ state: 'done' }),
    },
    log: (level, message) => void logged.push(`${level} ${message}`),
    now: () => clock.now,
    uptime: () => uptime() * 1000,
    randomBytes: (size) => randomBytes(size),
  };
  const store = await openChatStore(join(dataDir, 'chat.db'));
  const forgetWith = async (work: () => Promise<void>) => {
    await work();
    await removeCopies(dataDir, 'chat');
  };
  return {
    conversations: openConversations({ store, host, clock: host, purgeWith: forgetWith }),
    store,
    dataDir,
    host,
    clock,
    logged,
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Creates the data of a conversation with these models. */
export function createConversationInput(...models: readonly string[]): NewConversation {
  return {
    settings: { system: '', temperature: null, maxTokens: null, imagesAnyway: false },
    lanes: models.map((model) => ({ model, protocol: null })),
  };
}

export function userMessage(text: string, files: UserMessage['files'] = []): UserMessage {
  return UserMessage.parse({ text, files });
}

/** Creates the data of a turn in a lane. */
export function createTurnInput(
  { lane = 0, model = 'm' }: { readonly lane?: number; readonly model?: string },
  parent: MessageId | null,
  words: UserMessage | null,
) {
  return {
    lane,
    parent,
    content: words,
    answer: { model, protocol: 'chat', plain: false },
  } as const;
}

/** Sends a message in the first lane and saves its answer. */
export async function runTurn(
  { conversations }: Pick<ChatFolder, 'conversations'>,
  id: ConversationId,
  [words, answer]: readonly [words: UserMessage | string, answer: string],
): Promise<ChatMessage> {
  const { lanes } = await conversations.get(id);
  const question = typeof words === 'string' ? userMessage(words) : words;
  const turn = createTurnInput({ model: lanes[0]?.model ?? 'm' }, lanes[0]?.at ?? null, question);
  const [message] = await conversations.addTurns(id, [turn]);
  if (message === undefined) throw new Error('No answer.');
  return await saveAnswer({ conversations }, message, { text: answer });
}

/** Saves an answer, complete by default. */
export async function saveAnswer(
  { conversations }: Pick<ChatFolder, 'conversations'>,
  message: ChatMessage,
  saved: { readonly text: string; readonly reasoning?: string; readonly answer?: Partial<Answer> },
): Promise<ChatMessage> {
  if (message.answer === null) throw new Error('This is no answer.');
  const answer = { ...message.answer, state: 'done', ...saved.answer } as const;
  const { text, reasoning = '' } = saved;
  await conversations.saveAnswer(message.id, { text, reasoning, answer });
  const [after] = await conversations.messages([message.id]);
  if (after === undefined) throw new Error('It is gone.');
  return after;
}
