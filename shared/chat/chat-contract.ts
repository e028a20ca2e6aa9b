import { eventIterator } from '@orpc/contract';
import { z } from 'zod';
import {
  procedure,
  ImageUploadStart,
  ImageUploadChunk,
  ImageUploadId,
  ModelInput,
} from '../procedure.ts';
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
import { ContentHash, StoredImage } from '../image.ts';

const ConversationInput = z.object({ id: ConversationId });
const MessageInput = z.object({ message: MessageId });

/** The procedures for conversations; `chat` of the contract. */
export const chatContract = {
  /** Lists conversations whose title or messages contain all words of `find`; all of them when it is empty. */
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
  /** Returns complete messages, in the requested order; omits deleted ones. */
  messages: procedure
    .input(z.object({ ids: z.array(MessageId).min(1).max(100) }))
    .output(z.array(ChatMessage)),
  change: procedure
    .input(ConversationInput.extend({ change: ConversationChange }))
    .output(Conversation),
  /** Deletes a conversation for good, with its images. Stops its running answers. */
  remove: procedure.input(ConversationInput),
  /** Deletes all conversations for good. Returns their number. */
  erase: procedure.output(z.number().int()),
  /**
   * Sends a message in every lane and has the models answer; each answer is one call, which may be charged. `replaces`:
   * messages of a person that this one replaces; then only lanes that show one of them ask again, from that position.
   * `expectedHeads`: heads of the lanes when the message was written; rejected when they have moved, so that a call that
   * arrives twice asks once. Returns the answers as they start.
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
  /**
   * Has a model answer again, beside an existing answer. `plain`: without extra settings. Returns the new answer as it
   * starts.
   */
  retry: procedure
    .input(
      ConversationInput.extend(MessageInput.shape).extend({
        model: z.string().trim().min(1).max(256).optional(),
        protocol: TextProtocol.optional(),
        plain: z.boolean(),
      }),
    )
    .output(ChatMessage),
  /** Stops a running answer and saves its text. Does nothing when it has ended. */
  stop: procedure.input(MessageInput),
  /** Shows another branch in a lane: the newest one through this message. */
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
  /** Streams events until the conversation is removed. */
  follow: procedure.input(ConversationInput).output(eventIterator(ChatEvent)),
  /** Returns the protocol of a model's latest answer, to any client; Chat Completions when there is none. */
  findProtocol: procedure.input(ModelInput).output(z.object({ protocol: TextProtocol })),
  /**
   * Exports a conversation as chunks of text. `markdown`: the messages that the lanes show; `json`: everything, with all
   * branches and images.
   */
  export: procedure
    .input(ConversationInput.extend({ format: z.enum(['markdown', 'json']) }))
    .output(eventIterator(z.object({ text: z.string() }))),
  /**
   * Estimates what the answers to a message that is being written cost, in millionths of the currency; `null` when that is not known.
   * `id`: `null` for a new conversation, whose models are given. `bytes`: its texts in UTF-8, in a new conversation with the instructions.
   */
  estimate: procedure
    .input(
      z.object({
        id: ConversationId.nullable(),
        models: z.array(z.string().min(1).max(256)).max(MAX_LANES),
        bytes: z.number().int().nonnegative(),
        images: z.number().int().nonnegative(),
        /** The most that an answer of a new conversation may take; `null` for no limit. */
        maxTokens: z.number().int().positive().nullable(),
      }),
    )
    .output(z.object({ amount: z.number().nullable() })),
  /** Returns the source code of a lane's latest request, as a program for the local address. */
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
    /** Appends the next chunk, at most 512 KiB. */
    append: procedure.input(ImageUploadChunk),
    /** Stores the image, if it is complete and valid. */
    finish: procedure.input(z.object({ upload: ImageUploadId })).output(StoredImage),
    /** Returns an address of an image for this window, valid during its session. */
    url: procedure.input(z.object({ hash: ContentHash })).output(z.object({ url: z.string() })),
  },
};
