import { eventIterator } from '@orpc/contract';
import { z } from 'zod';
import { call, ImageBegin, ImagePiece, ImageUpload, OneModel } from './call.ts';
import {
  ChatEvent,
  ChatMessage,
  Conversation,
  ConversationChange,
  ConversationId,
  ConversationPage,
  ConversationPlace,
  MessageId,
  MOST_LANES,
  NewConversation,
  OpenConversation,
  Said,
  SnippetLanguage,
  TextProtocol,
} from './chat.ts';
import { ContentHash, KeptImage } from './image.ts';

const OneConversation = z.object({ id: ConversationId });
const OneMessage = z.object({ message: MessageId });

/** What a window can ask about conversations; the `chat` of the contract. */
export const chatContract = {
  /** Conversations in whose title or messages all words of `find` occur; all of them for an empty one. */
  page: call
    .input(
      z.object({
        find: z.string().trim().max(200),
        limit: z.number().int().min(1).max(200),
        before: ConversationPlace.optional(),
      }),
    )
    .output(ConversationPage),
  add: call.input(NewConversation).output(Conversation),
  open: call.input(OneConversation).output(OpenConversation),
  /** Whole messages, in the order asked for; those that are gone are left out. */
  messages: call
    .input(z.object({ ids: z.array(MessageId).min(1).max(100) }))
    .output(z.array(ChatMessage)),
  change: call.input(OneConversation.extend({ change: ConversationChange })).output(Conversation),
  /** Deletes it for good, with its images. What runs in it is stopped. */
  remove: call.input(OneConversation),
  /** Deletes all of them for good. Gives how many. */
  erase: call.output(z.number().int()),
  /**
   * Says something in every lane and has the models answer; each answer is one call, and costs what it costs. `instead`: messages of
   * a person that this is another wording of; then only lanes that show one of them ask again, from that place. `ends`: where
   * the lanes stood when it was said; elsewhere by now, it is refused, so that a call that arrives twice asks once. Gives the answers as
   * they begin.
   */
  send: call
    .input(
      OneConversation.extend({
        said: Said,
        instead: z.array(MessageId).max(MOST_LANES),
        ends: z.array(MessageId.nullable()).max(MOST_LANES).optional(),
      }),
    )
    .output(z.array(ChatMessage)),
  /** Has a model answer once more, beside an answer there is. `plain`: with only model and messages. Gives the new answer as it begins. */
  retry: call
    .input(
      OneConversation.extend(OneMessage.shape).extend({
        model: z.string().trim().min(1).max(256).optional(),
        protocol: TextProtocol.optional(),
        plain: z.boolean(),
      }),
    )
    .output(ChatMessage),
  /** Stops an answer on its way; what came is kept. Nothing happens when it has ended. */
  stop: call.input(OneMessage),
  /** Shows another branch in a lane: the newest that goes through this message. */
  goTo: call
    .input(
      OneConversation.extend(OneMessage.shape).extend({
        lane: z
          .number()
          .int()
          .min(0)
          .max(MOST_LANES - 1),
      }),
    )
    .output(Conversation),
  /** Never ends by itself before the conversation is removed. */
  follow: call.input(OneConversation).output(eventIterator(ChatEvent)),
  /** The protocol that a model answered to last, to any client; Chat Completions when it never did. */
  protocolOf: call.input(OneModel).output(z.object({ protocol: TextProtocol })),
  /** The text of a file, piece by piece. `markdown`: what the lanes show; `json`: everything, all branches and images. */
  export: call
    .input(OneConversation.extend({ format: z.enum(['markdown', 'json']) }))
    .output(eventIterator(z.object({ text: z.string() }))),
  /** The request that a lane would make with what is said in it so far, as a program against the local address. */
  snippet: call
    .input(
      OneConversation.extend({
        lane: z
          .number()
          .int()
          .min(0)
          .max(MOST_LANES - 1),
        language: SnippetLanguage,
      }),
    )
    .output(z.object({ text: z.string() })),
  image: {
    begin: call.input(ImageBegin).output(z.object({ upload: ImageUpload })),
    /** The next piece, at most 512 KiB of it. */
    append: call.input(ImagePiece),
    /** Keeps the image once it is whole and is one. */
    finish: call.input(z.object({ upload: ImageUpload })).output(KeptImage),
    /** Where this window finds an image; for the life of this window's session. */
    url: call.input(z.object({ hash: ContentHash })).output(z.object({ url: z.string() })),
  },
};
