import { eventIterator } from '@orpc/contract';
import { z } from 'zod';
import {
  procedure,
  ImageUploadStart,
  ImageUploadChunk,
  ImageUploadId,
  ModelInput,
} from './procedure.ts';
import {
  ChatEvent,
  ChatMessage,
  Conversation,
  ConversationChange,
  ConversationId,
  ConversationPage,
  ConversationCursor,
  MessageId,
  MAX_LANES,
  NewConversation,
  OpenConversation,
  UserMessage,
  SnippetLanguage,
  TextProtocol,
} from './chat.ts';
import { ContentHash, StoredImage } from './image.ts';

const ConversationInput = z.object({ id: ConversationId });
const MessageInput = z.object({ message: MessageId });

/** What a window can ask about conversations; the `chat` of the contract. */
export const chatContract = {
  /** Conversations in whose title or messages all words of `find` occur; all of them for an empty one. */
  page: procedure
    .input(
      z.object({
        find: z.string().trim().max(200),
        limit: z.number().int().min(1).max(200),
        before: ConversationCursor.optional(),
      }),
    )
    .output(ConversationPage),
  add: procedure.input(NewConversation).output(Conversation),
  open: procedure.input(ConversationInput).output(OpenConversation),
  /** Whole messages, in the order asked for; those that are gone are left out. */
  messages: procedure
    .input(z.object({ ids: z.array(MessageId).min(1).max(100) }))
    .output(z.array(ChatMessage)),
  change: procedure
    .input(ConversationInput.extend({ change: ConversationChange }))
    .output(Conversation),
  /** Deletes it for good, with its images. What runs in it is stopped. */
  remove: procedure.input(ConversationInput),
  /** Deletes all of them for good. Gives how many. */
  erase: procedure.output(z.number().int()),
  /**
   * Says something in every lane and has the models answer; each answer is one call, and costs what it costs. `instead`: messages of
   * a person that this is another wording of; then only lanes that show one of them ask again, from that place. `ends`: where
   * the lanes stood when it was said; elsewhere by now, it is refused, so that a call that arrives twice asks once. Gives the answers as
   * they begin.
   */
  send: procedure
    .input(
      ConversationInput.extend({
        content: UserMessage,
        replaces: z.array(MessageId).max(MAX_LANES),
        expectedHeads: z.array(MessageId.nullable()).max(MAX_LANES).optional(),
      }),
    )
    .output(z.array(ChatMessage)),
  /** Has a model answer once more, beside an answer there is. `plain`: with only model and messages. Gives the new answer as it begins. */
  retry: procedure
    .input(
      ConversationInput.extend(MessageInput.shape).extend({
        model: z.string().trim().min(1).max(256).optional(),
        protocol: TextProtocol.optional(),
        plain: z.boolean(),
      }),
    )
    .output(ChatMessage),
  /** Stops an answer on its way; what came is kept. Nothing happens when it has ended. */
  stop: procedure.input(MessageInput),
  /** Shows another branch in a lane: the newest that goes through this message. */
  goTo: procedure
    .input(
      ConversationInput.extend(MessageInput.shape).extend({
        lane: z
          .number()
          .int()
          .min(0)
          .max(MAX_LANES - 1),
      }),
    )
    .output(Conversation),
  /** Never ends by itself before the conversation is removed. */
  follow: procedure.input(ConversationInput).output(eventIterator(ChatEvent)),
  /** The protocol that a model answered to last, to any client; Chat Completions when it never did. */
  protocolOf: procedure.input(ModelInput).output(z.object({ protocol: TextProtocol })),
  /** The text of a file, piece by piece. `markdown`: what the lanes show; `json`: everything, all branches and images. */
  export: procedure
    .input(ConversationInput.extend({ format: z.enum(['markdown', 'json']) }))
    .output(eventIterator(z.object({ text: z.string() }))),
  /** The request that a lane would make with what is said in it so far, as a program against the local address. */
  snippet: procedure
    .input(
      ConversationInput.extend({
        lane: z
          .number()
          .int()
          .min(0)
          .max(MAX_LANES - 1),
        language: SnippetLanguage,
      }),
    )
    .output(z.object({ text: z.string() })),
  image: {
    begin: procedure.input(ImageUploadStart).output(z.object({ upload: ImageUploadId })),
    /** The next piece, at most 512 KiB of it. */
    append: procedure.input(ImageUploadChunk),
    /** Keeps the image once it is whole and is one. */
    finish: procedure.input(z.object({ upload: ImageUploadId })).output(StoredImage),
    /** Where this window finds an image; for the life of this window's session. */
    url: procedure.input(z.object({ hash: ContentHash })).output(z.object({ url: z.string() })),
  },
};
