import { z } from 'zod';
import { ExchangeId } from '../exchange/exchange.ts';
import { Usage } from '../exchange/usage.ts';
import { StoredImage } from '../image.ts';

export const ConversationId = z.string().min(1).max(64).brand<'ConversationId'>();
export type ConversationId = z.infer<typeof ConversationId>;

export const MessageId = z.string().min(1).max(64).brand<'MessageId'>();
export type MessageId = z.infer<typeof MessageId>;

/** The three text protocols of the spec (section 1). */
export const TextProtocol = z.enum(['chat', 'responses', 'messages']);
export type TextProtocol = z.infer<typeof TextProtocol>;

/** An attachment of a message: an image stored in the data folder, or a complete text file. */
export const ChatFile = z.discriminatedUnion('kind', [
  StoredImage.extend({ kind: z.literal('image') }),
  z.object({ kind: z.literal('text'), name: z.string().min(1).max(255), text: z.string() }),
]);
export type ChatFile = z.infer<typeof ChatFile>;

/** Maximum length of one message, its text files included, in UTF-16 units. */
export const MAX_MESSAGE_LENGTH = 250_000;

/** A person's message. */
export const UserMessage = z
  .object({ text: z.string(), files: z.array(ChatFile).max(16, 'At most 16 files at once.') })
  .refine(({ text, files }) => countCharacters(text, files) <= MAX_MESSAGE_LENGTH, {
    message: 'A message with its text files has at most 250,000 characters.',
    path: ['text'],
  })
  .refine(({ text, files }) => text.trim() !== '' || files.length > 0, {
    message: 'Write something first.',
    path: ['text'],
  });
export type UserMessage = z.infer<typeof UserMessage>;

function countCharacters(text: string, files: readonly ChatFile[]): number {
  return files.reduce(
    (sum, file) => sum + (file.kind === 'text' ? file.text.length : 0),
    text.length,
  );
}

/** The reason for a missing or incomplete answer. */
export const ChatProblem = z.object({
  /** Who caused it: the service, the network on the way to it, or Gatehouse (its own answers included: paused, no key …). */
  by: z.enum(['service', 'network', 'gatehouse']),
  status: z.number().int().nullable(),
  code: z.string().nullable(),
  /** Message for people: what happened, what it means, what to do. */
  sentence: z.string(),
  /** Parameters of the request that may have caused the service's 400, the most likely first (spec section 4.2). */
  suspects: z.array(z.string()),
});
export type ChatProblem = z.infer<typeof ChatProblem>;

/** State of an answer. `waiting`: nothing has arrived yet. `broken`: the text is incomplete. `refused`: nothing arrived. */
export const AnswerState = z.enum(['waiting', 'streaming', 'done', 'stopped', 'broken', 'refused']);
export type AnswerState = z.infer<typeof AnswerState>;

/** Facts of an answer besides its text. Times in milliseconds. */
export const Answer = z.object({
  state: AnswerState,
  /** Model id as requested. */
  model: z.string(),
  protocol: TextProtocol,
  /** Whether only model and messages were sent. */
  plain: z.boolean(),
  modelServed: z.string().nullable(),
  /** Finish reason of the service, such as `stop`, `length`, `end_turn`, `max_tokens`. */
  finish: z.string().nullable(),
  exchangeId: ExchangeId.nullable(),
  /** Time from sending to the first text or reasoning. */
  firstTokenMs: z.number().nullable(),
  durationMs: z.number().nullable(),
  /**
   * Output tokens divided by the time between the first and the last part; `null` when either is unknown or nothing was
   * streamed.
   */
  tokensPerSecond: z.number().nullable(),
  usage: Usage.nullable(),
  /** Cost as reported by the service; `field` is its name in the answer. */
  cost: z.object({ amount: z.number(), field: z.string() }).nullable(),
  problem: ChatProblem.nullable(),
});
export type Answer = z.infer<typeof Answer>;

export const ChatMessage = z.object({
  id: MessageId,
  conversation: ConversationId,
  /** The message it follows; `null` for the first. */
  parent: MessageId.nullable(),
  /** All messages with the same parent, itself included, oldest first: edits of a message, other answers. */
  siblings: z.array(MessageId),
  /** Unix time in milliseconds. */
  createdAt: z.number().int(),
  text: z.string(),
  /** Reasoning text of the model; empty when there is none. */
  reasoning: z.string(),
  files: z.array(ChatFile),
  /** `null` for a person's message. */
  answer: Answer.nullable(),
});
export type ChatMessage = z.infer<typeof ChatMessage>;

/** A model of a conversation. */
export const LaneModel = z.object({
  model: z.string().trim().min(1, 'Choose a model.').max(256),
  /** `null`: the protocol of this model's latest answer at the time of sending. */
  protocol: TextProtocol.nullable(),
});
export type LaneModel = z.infer<typeof LaneModel>;

/** One column of a conversation: its model, and its latest message. */
export const Lane = LaneModel.extend({ at: MessageId.nullable() });
export type Lane = z.infer<typeof Lane>;

/** Maximum number of lanes; two or three are compared side by side. */
export const MAX_LANES = 3;

export const ChatSettings = z.object({
  /** The system prompt; empty for none. */
  system: z.string().max(100_000, 'A system prompt has at most 100,000 characters.'),
  /** Usually 0 to 2 (spec section 4.2); sent only when set. */
  temperature: z.number().min(0).max(100).nullable(),
  /** Sent only when set, except in Messages, which requires it (spec section 4.4). */
  maxTokens: z.number().int().min(1).max(10_000_000).nullable(),
  /** Whether to send images to models that are not known to accept them. Only set by a person. */
  imagesAnyway: z.boolean(),
});
export type ChatSettings = z.infer<typeof ChatSettings>;

export const ConversationTitle = z
  .string()
  .trim()
  .min(1, 'Enter a name for the conversation.')
  .max(200, 'A name has at most 200 characters.');

/** A conversation: a tree of messages, of which every lane shows one path. Times are Unix milliseconds. */
export const Conversation = z.object({
  id: ConversationId,
  /** Derived from the first message, until a person gives another; empty before the first message. */
  title: z.string(),
  createdAt: z.number().int(),
  /** Time of the latest message or answer. */
  changedAt: z.number().int(),
  settings: ChatSettings,
  lanes: z.array(Lane).min(1).max(MAX_LANES),
});
export type Conversation = z.infer<typeof Conversation>;

export const NewConversation = z.object({
  settings: ChatSettings,
  lanes: z.array(LaneModel).min(1).max(MAX_LANES),
});
export type NewConversation = z.infer<typeof NewConversation>;

/** A change; absent fields stay as they are. */
export const ConversationChange = z.object({
  title: ConversationTitle.optional(),
  settings: ChatSettings.optional(),
  /** The new lanes; `from` is the index of the current lane whose position each starts with. */
  lanes: z
    .array(
      LaneModel.extend({
        from: z
          .number()
          .int()
          .min(0)
          .max(MAX_LANES - 1),
      }),
    )
    .min(1)
    .max(MAX_LANES)
    .optional(),
});
export type ConversationChange = z.infer<typeof ConversationChange>;

/** A conversation in the list. */
export const ConversationSummary = z.object({
  id: ConversationId,
  title: z.string(),
  changedAt: z.number().int(),
  models: z.array(z.string()),
  /** Whether an answer is running. */
  running: z.boolean(),
  /** The search match: an excerpt of the newest matching message; `null` when only the title matches. */
  match: z.object({ message: MessageId, excerpt: z.string() }).nullable(),
});
export type ConversationSummary = z.infer<typeof ConversationSummary>;

/** A position in the list of conversations. It stays valid whatever happens to them. */
export const ConversationCursor = z
  .string()
  .regex(/^\d{1,16}-[0-9a-f]{1,64}$/u)
  .brand<'ConversationCursor'>();
export type ConversationCursor = z.infer<typeof ConversationCursor>;

/**
 * Conversations, latest changed first. `next` is the `before` of the next page; `null` at the end. A conversation that changes
 * meanwhile moves to the top, so each appears at most once while paging.
 */
export const ConversationPage = z.object({
  conversations: z.array(ConversationSummary),
  next: ConversationCursor.nullable(),
});
export type ConversationPage = z.infer<typeof ConversationPage>;

/** A message on a path without its content, so that ten thousand of them can be sent at once. */
export const PathEntry = z.object({
  id: MessageId,
  by: z.enum(['person', 'model']),
  /** Length of its text in UTF-16 units. */
  length: z.number().int(),
});
export type PathEntry = z.infer<typeof PathEntry>;

/** A conversation with the path of every lane, from the first message to its latest. */
export const OpenConversation = z.object({
  conversation: Conversation,
  paths: z.array(z.array(PathEntry)),
});
export type OpenConversation = z.infer<typeof OpenConversation>;

/** An event of a conversation. */
export const ChatEvent = z.discriminatedUnion('kind', [
  /** The conversation or its paths have changed: load it again. */
  z.object({ kind: z.literal('changed') }),
  /** The conversation was deleted. Nothing follows. */
  z.object({ kind: z.literal('removed') }),
  /** A complete message: first every running answer, then each change of a state. */
  z.object({ kind: z.literal('message'), message: ChatMessage }),
  /** New text and reasoning to append to the last known ones. */
  z.object({
    kind: z.literal('delta'),
    id: MessageId,
    text: z.string(),
    reasoning: z.string(),
  }),
]);
export type ChatEvent = z.infer<typeof ChatEvent>;

export const SnippetLanguage = z.enum(['curl', 'python', 'typescript']);
export type SnippetLanguage = z.infer<typeof SnippetLanguage>;
