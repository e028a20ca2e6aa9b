import type { ChatMessage, ConversationId, MessageId } from '../../shared/chat/chat.ts';
import { NotFoundError } from '../errors.ts';
import type { Conversations } from './types.ts';

/** A message that is being written. */
export interface DraftedMessage {
  /** `null` for a new conversation. */
  readonly id: ConversationId | null;
  /** The models of a new conversation; another has its own. */
  readonly models: readonly string[];
  /** Its texts in UTF-8, in bytes; in a new conversation with the instructions. */
  readonly bytes: number;
  readonly images: number;
  /** The most that an answer of a new conversation may take; `null` for no limit. */
  readonly maxTokens: number | null;
}

/** The size of a request to one model, in bytes of text and in images, and the most tokens that it allows for the answer. */
export interface LaneSize {
  readonly model: string;
  readonly bytes: number;
  readonly images: number;
  readonly maxTokens: number | null;
}

interface EstimateOptions {
  readonly conversations: Pick<Conversations, 'get' | 'pathTo'>;
  readonly costOf: (size: LaneSize) => number | null;
}

/** Returns what the answers to a message cost together; `null` when it is not known of one, and when the conversation was removed. */
export async function estimateMessage(
  message: DraftedMessage,
  { conversations, costOf }: EstimateOptions,
): Promise<number | null> {
  const sizes = await measureMessage(message, conversations).catch((error: unknown) => {
    if (error instanceof NotFoundError) return null;
    throw error;
  });
  if (sizes === null) return null;
  let sum = 0;
  for (const size of sizes) {
    const cost = costOf(size);
    if (cost === null) return null;
    sum += cost;
  }
  return sum;
}

/** Measures the requests that a message would send, one for each lane, with all messages before it. */
async function measureMessage(
  { id, models, bytes, images, maxTokens }: DraftedMessage,
  { get, pathTo }: EstimateOptions['conversations'],
): Promise<readonly LaneSize[]> {
  if (id === null) return models.map((model) => ({ model, bytes, images, maxTokens }));
  const { lanes, settings } = await get(id);
  const system = Buffer.byteLength(settings.system);
  const sizes: LaneSize[] = [];
  // Lanes mostly show the same messages; one after the other, so that they are in memory once.
  const known = new Map<MessageId | null, Size>([[null, { bytes: 0, images: 0 }]]);
  for (const { model, at } of lanes) {
    const before = known.get(at) ?? measurePath(at === null ? [] : await pathTo(at));
    known.set(at, before);
    sizes.push({
      model,
      bytes: system + before.bytes + bytes,
      images: before.images + images,
      maxTokens: settings.maxTokens,
    });
  }
  return sizes;
}

type Size = Pick<LaneSize, 'bytes' | 'images'>;

function measurePath(path: readonly ChatMessage[]): Size {
  let [bytes, images] = [0, 0];
  for (const { text, files } of path) {
    bytes += Buffer.byteLength(text);
    for (const file of files) {
      if (file.kind === 'text') bytes += Buffer.byteLength(file.text);
      else images += 1;
    }
  }
  return { bytes, images };
}
