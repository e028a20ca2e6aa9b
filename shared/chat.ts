import { z } from 'zod';
import { ExchangeId } from './exchange.ts';
import { Usage } from './usage.ts';
import { StoredImage } from './image.ts';

export const ConversationId = z.string().min(1).max(64).brand<'ConversationId'>();
export type ConversationId = z.infer<typeof ConversationId>;

export const MessageId = z.string().min(1).max(64).brand<'MessageId'>();
export type MessageId = z.infer<typeof MessageId>;

/** The three text protocols of the spec (section 1). */
export const TextProtocol = z.enum(['chat', 'responses', 'messages']);
export type TextProtocol = z.infer<typeof TextProtocol>;

/** What goes with the text of a message: an image that is kept in the data folder, or a text file, whole. */
export const ChatFile = z.discriminatedUnion('kind', [
  StoredImage.extend({ kind: z.literal('image') }),
  z.object({ kind: z.literal('text'), name: z.string().min(1).max(255), text: z.string() }),
]);
export type ChatFile = z.infer<typeof ChatFile>;

/** The most that one message may hold, its text files included, in UTF-16 units. */
export const MAX_MESSAGE_LENGTH = 250_000;

/** What a person says. */
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

/** Why an answer is missing, or not whole. */
export const ChatProblem = z.object({
  /** Who failed: the service, the network on the way to it, or Gatehouse (its own answers included: paused, no key …). */
  by: z.enum(['service', 'network', 'gatehouse']),
  status: z.number().int().nullable(),
  code: z.string().nullable(),
  /** For people: what happened, what it means, what to do. */
  sentence: z.string(),
  /** Parameters of the request that may be why the service refused it with 400, the likeliest first (spec section 4.2). */
  suspects: z.array(z.string()),
});
export type ChatProblem = z.infer<typeof ChatProblem>;

/** How an answer is. `waiting`: nothing of it has come yet. `broken`: what came is kept. `refused`: nothing came. */
export const AnswerState = z.enum(['waiting', 'streaming', 'done', 'stopped', 'broken', 'refused']);
export type AnswerState = z.infer<typeof AnswerState>;

/** What is known of an answer besides its text. Times in milliseconds. */
export const Answer = z.object({
  state: AnswerState,
  /** As it was asked for. */
  model: z.string(),
  protocol: TextProtocol,
  /** Whether only model and messages were sent. */
  plain: z.boolean(),
  modelServed: z.string().nullable(),
  /** As the service calls it, such as `stop`, `length`, `end_turn`, `max_tokens`. */
  finish: z.string().nullable(),
  exchangeId: ExchangeId.nullable(),
  /** From sending to the first piece of text or reasoning. */
  firstTokenMs: z.number().nullable(),
  durationMs: z.number().nullable(),
  /** Output tokens by the time between first and last piece; `null` when either is not known or nothing was streamed. */
  tokensPerSecond: z.number().nullable(),
  usage: Usage.nullable(),
  /** What the service itself said this cost; `field` is where it stood in the answer. */
  cost: z.object({ amount: z.number(), field: z.string() }).nullable(),
  problem: ChatProblem.nullable(),
});
export type Answer = z.infer<typeof Answer>;

export const ChatMessage = z.object({
  id: MessageId,
  conversation: ConversationId,
  /** What it follows; `null` at the beginning. */
  parent: MessageId.nullable(),
  /** Everything with the same parent, itself included, oldest first: edits of a question, other answers. */
  siblings: z.array(MessageId),
  /** Unix time in milliseconds. */
  createdAt: z.number().int(),
  text: z.string(),
  /** What the model thought aloud; empty when it did not. */
  reasoning: z.string(),
  files: z.array(ChatFile),
  /** `null` for what a person said. */
  answer: Answer.nullable(),
});
export type ChatMessage = z.infer<typeof ChatMessage>;

/** A model of a conversation. */
export const LaneModel = z.object({
  model: z.string().trim().min(1, 'Choose a model.').max(256),
  /** `null`: the one that this model answered to last, at the time of sending. */
  protocol: TextProtocol.nullable(),
});
export type LaneModel = z.infer<typeof LaneModel>;

/** One column of a conversation: who answers in it, and the message it has come to. */
export const Lane = LaneModel.extend({ at: MessageId.nullable() });
export type Lane = z.infer<typeof Lane>;

/** Two or three are compared side by side. */
export const MAX_LANES = 3;

export const ChatSettings = z.object({
  /** The system prompt; empty for none. */
  system: z.string().max(100_000, 'A system prompt has at most 100,000 characters.'),
  /** Usually 0 to 2 (spec section 4.2); sent only when set. */
  temperature: z.number().min(0).max(100).nullable(),
  /** Sent only when set, but in Messages, which requires it (spec section 4.4). */
  maxTokens: z.number().int().min(1).max(10_000_000).nullable(),
  /** Images may be sent to models of whom the list does not say that they see. Only ever because a person chose so. */
  imagesAnyway: z.boolean(),
});
export type ChatSettings = z.infer<typeof ChatSettings>;

export const ConversationTitle = z
  .string()
  .trim()
  .min(1, 'Give the conversation a name.')
  .max(200, 'A name has at most 200 characters.');

/** A conversation: a tree of messages of which every lane shows one path. Times are Unix milliseconds. */
export const Conversation = z.object({
  id: ConversationId,
  /** Made of what was said first, until a person gives another; empty before anything was said. */
  title: z.string(),
  createdAt: z.number().int(),
  /** When something was last said or answered. */
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

/** Absent fields stay as they are. */
export const ConversationChange = z.object({
  title: ConversationTitle.optional(),
  settings: ChatSettings.optional(),
  /** The lanes from now on; `from` is the lane, as they are now, whose place each begins at. */
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

/** One line of the list. */
export const ConversationSummary = z.object({
  id: ConversationId,
  title: z.string(),
  changedAt: z.number().int(),
  models: z.array(z.string()),
  /** Whether an answer is on its way. */
  running: z.boolean(),
  /** Where the words searched for were found: a piece of the newest such message; `null` for its title alone. */
  found: z.object({ message: MessageId, piece: z.string() }).nullable(),
});
export type ConversationSummary = z.infer<typeof ConversationSummary>;

/** A place in the list of conversations. It stays where it is, whatever becomes of them. */
export const ConversationCursor = z
  .string()
  .regex(/^\d{1,16}-[0-9a-f]{1,64}$/u)
  .brand<'ConversationPlace'>();
export type ConversationCursor = z.infer<typeof ConversationCursor>;

/**
 * The latest changed first. `next` is the `before` of the page that follows; `null` at the end. What changes meanwhile goes to the top:
 * page after page, each is given at most once.
 */
export const ConversationPage = z.object({
  conversations: z.array(ConversationSummary),
  next: ConversationCursor.nullable(),
});
export type ConversationPage = z.infer<typeof ConversationPage>;

/** A message on a path, without its content: so that ten thousand of them are told at once. */
export const PathEntry = z.object({
  id: MessageId,
  by: z.enum(['person', 'model']),
  /** Length of its text in UTF-16 units. */
  length: z.number().int(),
});
export type PathEntry = z.infer<typeof PathEntry>;

/** A conversation and, for every lane, the way from its beginning to where the lane is. */
export const OpenConversation = z.object({
  conversation: Conversation,
  paths: z.array(z.array(PathEntry)),
});
export type OpenConversation = z.infer<typeof OpenConversation>;

/** What whoever looks at a conversation hears. */
export const ChatEvent = z.discriminatedUnion('kind', [
  /** The conversation or its paths are not as before: ask again. */
  z.object({ kind: z.literal('changed') }),
  /** It is gone for good. Nothing follows. */
  z.object({ kind: z.literal('removed') }),
  /** A message as it is now, whole: first every answer on its way, then whenever a state changes. */
  z.object({ kind: z.literal('message'), message: ChatMessage }),
  /** What came since, to be put behind the text and the reasoning as last heard. */
  z.object({
    kind: z.literal('more'),
    id: MessageId,
    text: z.string(),
    reasoning: z.string(),
  }),
]);
export type ChatEvent = z.infer<typeof ChatEvent>;

export const SnippetLanguage = z.enum(['curl', 'python', 'typescript']);
export type SnippetLanguage = z.infer<typeof SnippetLanguage>;
