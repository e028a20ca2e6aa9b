import { useMemo } from 'react';
import type {
  ChatSettings,
  ConversationChange,
  MessageId,
  Said,
  TextProtocol,
} from '../../../shared/chat.ts';
import { type Calls, useCalls } from '../../client/client.ts';
import { sayFailed } from '../../parts/said.ts';
import type { OpenChat } from './open-chat.ts';

/** How an answer is asked for once more; as before where nothing is said. */
export interface Again {
  readonly model?: string;
  readonly protocol?: TextProtocol;
  /** With only model and messages. */
  readonly plain?: boolean;
}

/** What a person does with a conversation. What does not work is told, but by `say`, which rejects. */
export interface Acts {
  /** `instead`: the messages that this is another wording of. */
  readonly say: (said: Said, instead?: readonly MessageId[]) => Promise<void>;
  readonly retry: (message: MessageId, again: Again) => void;
  readonly stop: () => void;
  /** Shows the newest branch through a message, in each lane that is given one. */
  readonly show: (places: readonly { lane: number; message: MessageId }[]) => void;
  /** Goes on with one lane alone. */
  readonly keepLane: (lane: number) => void;
  readonly setSettings: (change: Partial<ChatSettings>) => void;
}

/** What can be done with an open conversation. */
export function useActs(chat: OpenChat | null): Acts | null {
  const calls = useCalls();
  return useMemo(() => (chat === null ? null : actsOn(calls.chat, chat)), [calls, chat]);
}

function actsOn(calls: Calls['chat'], chat: OpenChat): Acts {
  const { id } = chat;
  const retried = new Set<MessageId>();
  const change = async (asked: ConversationChange): Promise<void> => {
    await calls.change.call({ id, change: asked });
    await chat.reload();
  };
  return {
    say: async (said, instead = []) => {
      const state = chat.state();
      // Of one that is not here yet nobody has seen where it stands.
      const seen = state.kind === 'open' ? state.open.conversation.lanes : null;
      const ends = seen === null ? {} : { ends: seen.map(({ at }) => at) };
      chat.begin(await calls.send.call({ id, said, instead: [...instead], ...ends }));
      await chat.reload();
    },
    retry: (message, { plain = false, ...again }) => {
      // A double click asks once.
      if (retried.has(message)) return;
      retried.add(message);
      told('The model was not asked again.', async () => {
        try {
          chat.begin([await calls.retry.call({ id, message, plain, ...again })]);
          await chat.reload();
        } finally {
          retried.delete(message);
        }
      });
    },
    stop: () => {
      for (const message of chat.running()) {
        told('The answer was not stopped.', () => calls.stop.call({ message }));
      }
    },
    show: (places) =>
      told('The other version cannot be shown.', async () => {
        for (const { lane, message } of places) await calls.goTo.call({ id, lane, message });
        await chat.reload();
      }),
    keepLane: (lane) => {
      const state = chat.state();
      const kept = state.kind === 'open' ? state.open.conversation.lanes[lane] : undefined;
      if (kept === undefined) return;
      const { model, protocol } = kept;
      told('The comparison goes on.', () => change({ lanes: [{ model, protocol, from: lane }] }));
    },
    setSettings: (wanted) => {
      const state = chat.state();
      if (state.kind !== 'open') return;
      const settings = { ...state.open.conversation.settings, ...wanted };
      told('The settings stay as they were.', () => change({ settings }));
    },
  };
}

/** Does it, and tells when it did not work. */
function told(title: string, act: () => Promise<unknown>): void {
  act().catch((error: unknown) => sayFailed(title, error));
}
