import { useMutation } from '@tanstack/react-query';
import type {
  ChatSettings,
  Conversation,
  LaneModel,
  NewConversation,
} from '../../../../shared/chat.ts';
import { useCalls } from '../../../client/client.ts';
import { sayFailed } from '../../../parts/said.ts';

/** A model of a conversation from now on, and the one of those there are now whose place it begins at. */
export interface NextLane extends LaneModel {
  readonly from: number;
}

export interface Chosen {
  readonly lanes: readonly LaneModel[];
  readonly settings: ChatSettings;
  readonly setLanes: (lanes: readonly NextLane[]) => void;
  readonly setSettings: (settings: ChatSettings) => void;
}

interface Place {
  readonly conversation: Conversation | null;
  readonly fresh: NewConversation;
  readonly onFresh: (fresh: NewConversation) => void;
}

/** The models and settings of a conversation, or of one that has not begun. Each change is kept at once. */
export function useChosen({ conversation, fresh, onFresh }: Place): Chosen {
  const calls = useCalls();
  const { mutate } = useMutation(
    calls.chat.change.mutationOptions({
      onError: (error) => sayFailed('It stays as it was.', error),
    }),
  );
  if (conversation === null) {
    return {
      ...fresh,
      setLanes: (next) =>
        onFresh({ ...fresh, lanes: next.map(({ model, protocol }) => ({ model, protocol })) }),
      setSettings: (settings) => onFresh({ ...fresh, settings }),
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
