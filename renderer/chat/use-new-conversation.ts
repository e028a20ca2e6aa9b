import { skipToken, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { ChatSettings, NewConversation } from '../../shared/chat/chat.ts';
import { useCalls } from '../api/client.ts';
import { useModelChoice } from '../api/use-model-list.ts';
import {
  saveNewConversation,
  readNewConversation,
  type StoredNewConversation,
} from './new-conversation-storage.ts';
import { readModelChoices } from './model-picker/model-choices.ts';
import { makesVideos } from '../../shared/model-metadata/model-statements.ts';

const NOTHING_SET: ChatSettings = {
  system: '',
  temperature: null,
  maxTokens: null,
  imagesAnyway: false,
};

interface NewConversationState {
  readonly newChat: NewConversation;
  readonly setNewChat: (newChat: NewConversation) => void;
}

/**
 * Keeps the models and settings of a new conversation: the person's choice, also across a reload, until a conversation
 * has started; then the default model again. The model is empty while none is known.
 */
export function useNewConversation(): NewConversationState {
  const [stored, setKept] = useState(readNewConversation);
  const hasStarted = useHasStarted(stored);
  useEffect(() => {
    if (!hasStarted) return;
    saveNewConversation(null);
    setKept(null);
  }, [hasStarted]);
  const usual = useUsualModel();
  const fresh = useMemo(
    () => (stored !== null && !hasStarted ? stored.fresh : createNewConversation(usual)),
    [stored, hasStarted, usual],
  );
  const setNewChat = (next: NewConversation): void => {
    const chosen = { at: Date.now(), fresh: next };
    saveNewConversation(chosen);
    setKept(chosen);
  };
  return { newChat: fresh, setNewChat };
}

function createNewConversation(model: string): NewConversation {
  return { settings: NOTHING_SET, lanes: [{ model, protocol: null }] };
}

/** Whether a conversation has started since the choice was made. */
function useHasStarted(stored: StoredNewConversation | null): boolean {
  const calls = useCalls();
  const page = useQuery(calls.chat.page.queryOptions({ input: { find: '', limit: 1 } }));
  const latest = page.data?.conversations[0];
  const maybe = stored !== null && latest !== undefined && latest.changedAt >= stored.at;
  const { data } = useQuery(
    calls.chat.open.queryOptions({ input: maybe ? { id: latest.id } : skipToken }),
  );
  return maybe && data?.conversation.id === latest.id && data.conversation.createdAt >= stored.at;
}

/**
 * Returns the model that the person chose last of those that the service in use has, or else the first of its list that does not
 * generate videos; an empty text when there is none.
 */
function useUsualModel(): string {
  const models = useModelChoice();
  const isThere = (id: string) =>
    models.length === 0 || models.some(({ model }) => model.id === id);
  const chosen = readModelChoices().find(isThere);
  return chosen ?? models.find(({ model }) => !makesVideos(model))?.model.id ?? '';
}
