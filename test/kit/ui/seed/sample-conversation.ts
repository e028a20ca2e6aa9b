import type {
  Answer,
  ChatFile,
  ConversationId,
  UserMessage,
} from '../../../../shared/chat/chat.ts';
import type { MODEL_IDS } from '../demo-service.ts';

type ModelId = (typeof MODEL_IDS)[number];

/** An answer of a model. `fields` overrides those of an ordinary complete answer. */
export interface Reply {
  readonly text: string;
  readonly reasoning?: string;
  readonly fields?: Partial<Answer>;
}

/** A conversation to store in a data folder: in every turn each model has its reply, in the order of the models. */
export interface SampleConversation {
  readonly key: string;
  readonly models: readonly [ModelId, ...ModelId[]];
  readonly minutesAgo: number;
  readonly system?: string;
  readonly temperature?: number;
  readonly turns: readonly {
    readonly message: string | UserMessage;
    readonly replies: readonly Reply[];
    /** Other answers to the same, before the one that is shown. */
    readonly before?: readonly Reply[];
  }[];
}

/** The database of the conversations in a data folder. */
export type ConversationIds = ReadonlyMap<string, ConversationId>;

/** A talk about an image that is kept already. */
export function conversationAboutPicture(picture: ChatFile): SampleConversation {
  return {
    key: 'picture',
    models: ['openai/gpt-5.1'],
    minutesAgo: 20,
    turns: [
      {
        message: { text: 'What time of day is this, and how can you tell?', files: [picture] },
        replies: [
          {
            text: 'Late afternoon. The light comes in low and warm from one side, the shadows are long, and the sky is paler at the horizon than above.\n',
          },
        ],
      },
    ],
  };
}
