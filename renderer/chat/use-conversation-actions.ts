import { useMemo } from 'react';
import type {
  ChatSettings,
  ConversationChange,
  MessageId,
  UserMessage,
  TextProtocol,
} from '../../shared/chat/chat.ts';
import { type Calls, useCalls } from '../api/client.ts';
import { toastError } from '../hooks/toast.ts';
import type { ConversationStore } from './store/conversation-store.ts';

/** Options of a retry; absent ones stay as before. */
export interface RetryOptions {
  readonly model?: string;
  readonly protocol?: TextProtocol;
  /** Sends only model and messages. */
  readonly plain?: boolean;
}

/** The actions of a person on a conversation. Failures are shown as notifications, except by `send`, which rejects. */
export interface ConversationActions {
  /** `replaces`: the messages that this one is a new version of. */
  readonly send: (message: UserMessage, replaces?: readonly MessageId[]) => Promise<void>;
  readonly retry: (message: MessageId, options: RetryOptions) => void;
  readonly stop: () => void;
  /** Switches each given lane to the newest branch through a message. */
  readonly show: (places: readonly { lane: number; message: MessageId }[]) => void;
  /** Removes all lanes but one. */
  readonly keepLane: (lane: number) => void;
  readonly setSettings: (change: Partial<ChatSettings>) => void;
}

/** Returns the actions on an open conversation. */
export function useConversationActions(chat: ConversationStore | null): ConversationActions | null {
  const calls = useCalls();
  return useMemo(() => (chat === null ? null : createActions(calls.chat, chat)), [calls, chat]);
}

function createActions(calls: Calls['chat'], chat: ConversationStore): ConversationActions {
  const { id } = chat;
  const retried = new Set<MessageId>();
  const change = async (requested: ConversationChange): Promise<void> => {
    await calls.change.call({ id, change: requested });
    await chat.reload();
  };
  return {
    send: async (message, instead = []) => {
      const state = chat.state();
      // Of one that is not here yet nobody has seen where it stands.
      const seen = state.kind === 'open' ? state.open.conversation.lanes : null;
      const ends = seen === null ? {} : { expectedHeads: seen.map(({ at }) => at) };
      chat.begin(await calls.send.call({ id, content: message, replaces: [...instead], ...ends }));
      await chat.reload();
    },
    retry: (message, { plain = false, ...again }) => {
      // A double click must not send twice.
      if (retried.has(message)) return;
      retried.add(message);
      toastOnError('Could not retry.', async () => {
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
        toastOnError('Could not stop the answer.', () => calls.stop.call({ message }));
      }
    },
    show: (places) =>
      toastOnError('Could not show the other version.', async () => {
        for (const { lane, message } of places) await calls.goTo.call({ id, lane, message });
        await chat.reload();
      }),
    keepLane: (lane) => {
      const state = chat.state();
      const settings = state.kind === 'open' ? state.open.conversation.lanes[lane] : undefined;
      if (settings === undefined) return;
      const { model, protocol } = settings;
      toastOnError('Could not leave the comparison.', () =>
        change({ lanes: [{ model, protocol, from: lane }] }),
      );
    },
    setSettings: (next) => {
      const state = chat.state();
      if (state.kind !== 'open') return;
      const settings = { ...state.open.conversation.settings, ...next };
      toastOnError('Could not save the settings.', () => change({ settings }));
    },
  };
}

/** Runs an action and shows a notification when it fails. */
function toastOnError(title: string, act: () => Promise<unknown>): void {
  act().catch((error: unknown) => toastError(title, error));
}
