import { useMutation } from '@tanstack/react-query';
import type {
  ChatSettings,
  Conversation,
  LaneModel,
  NewConversation,
} from '../../shared/chat/chat.ts';
import { useCalls } from '../api/client.ts';
import { toastError } from '../hooks/toast.ts';

/** A model of a conversation from now on, and the one of those there are now whose place it begins at. */
export interface LaneChoice extends LaneModel {
  readonly from: number;
}

export interface ModelChoice {
  readonly lanes: readonly LaneModel[];
  readonly settings: ChatSettings;
  readonly setLanes: (lanes: readonly LaneChoice[]) => void;
  readonly setSettings: (settings: ChatSettings) => void;
}

interface ModelChoiceOptions {
  readonly conversation: Conversation | null;
  readonly newChat: NewConversation;
  readonly onNewChat: (newChat: NewConversation) => void;
}

/**
 * Returns the models and settings of an existing or new conversation with functions that change them. Each change is
 * saved at once.
 */
export function useModelAndSettings({
  conversation,
  newChat,
  onNewChat,
}: ModelChoiceOptions): ModelChoice {
  const calls = useCalls();
  const { mutate } = useMutation(
    calls.chat.change.mutationOptions({
      onError: (error) => toastError('Could not save the change.', error),
    }),
  );
  if (conversation === null) {
    return {
      ...newChat,
      setLanes: (next) =>
        onNewChat({ ...newChat, lanes: next.map(({ model, protocol }) => ({ model, protocol })) }),
      setSettings: (settings) => onNewChat({ ...newChat, settings }),
    };
  }
  const { id, lanes, settings } = conversation;
  return {
    lanes,
    settings,
    setLanes: (next) => mutate({ id, change: { lanes: [...next] } }),
    setSettings: (changed) => mutate({ id, change: { settings: changed } }),
  };
}
