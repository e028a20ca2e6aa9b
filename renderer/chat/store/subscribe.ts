import type { ChatEvent, ConversationId } from '../../../shared/chat/chat.ts';
import type { Calls } from '../../api/client.ts';
import { followStream } from '../../api/follow-stream.ts';
import { isNotFoundError } from '../../format/errors.ts';

interface ChatSubscriber {
  /** Called when subscribed: the events begin with every answer in progress. */
  readonly onBegin: () => void;
  /** Called with the events since the last frame, in order. */
  readonly onEvents: (events: readonly ChatEvent[]) => void;
  /** Called when the conversation was deleted. No further call follows. */
  readonly onGone: () => void;
}

/**
 * Subscribes to a conversation while the page is visible, and reconnects by itself. Returns a function that
 * unsubscribes. However fast an answer arrives, the listener is called once per frame.
 */
export function subscribeToChat(
  calls: Calls['chat'],
  id: ConversationId,
  subscriber: ChatSubscriber,
): () => void {
  const follower = followStream(async (signal) => {
    const isGone = await read(calls, id, { subscriber, signal });
    if (!isGone) return;
    follower.close();
    subscriber.onGone();
  });
  return () => follower.close();
}

/** Reads events until the stream ends. Returns whether the conversation no longer exists. */
async function read(
  calls: Calls['chat'],
  id: ConversationId,
  { subscriber, signal }: { readonly subscriber: ChatSubscriber; readonly signal: AbortSignal },
): Promise<boolean> {
  const frames = batchByFrame(subscriber.onEvents);
  try {
    const events = await calls.follow.call({ id }, { signal });
    subscriber.onBegin();
    for await (const event of events) {
      if (event.kind === 'removed') return true;
      frames.add(event);
    }
    return false;
  } catch (error) {
    return isNotFoundError(error);
  } finally {
    frames.close();
  }
}

interface FrameBatcher {
  readonly add: (event: ChatEvent) => void;
  readonly close: () => void;
}

/** Batches events per frame; closing delivers the remaining ones. */
function batchByFrame(onEvents: ChatSubscriber['onEvents']): FrameBatcher {
  let events: ChatEvent[] = [];
  let frame: number | null = null;
  const flush = (): void => {
    frame = null;
    const due = events;
    events = [];
    if (due.length > 0) onEvents(due);
  };
  return {
    add: (event) => {
      events.push(event);
      frame ??= requestAnimationFrame(flush);
    },
    close: () => {
      if (frame !== null) cancelAnimationFrame(frame);
      flush();
    },
  };
}
