import { skipToken, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { ChatSettings, ConversationSummary, NewConversation } from '../../shared/chat/chat.ts';
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
  const { page, latest } = useLatest();
  const hasStarted = useHasStarted(stored, latest);
  useEffect(() => {
    if (!hasStarted) return;
    saveNewConversation(null);
    setKept(null);
  }, [hasStarted]);
  const model = useUsualModel(latest);
  const usual = page === 'pending' ? '' : model;
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

function useLatest() {
  const calls = useCalls();
  const { data, status } = useQuery(
    calls.chat.page.queryOptions({ input: { find: '', limit: 1 } }),
  );
  return { page: status, latest: data?.conversations[0] };
}

/** Whether a conversation has started since the choice was made. */
function useHasStarted(
  stored: StoredNewConversation | null,
  latest: ConversationSummary | undefined,
): boolean {
  const maybe = stored !== null && latest !== undefined && latest.changedAt >= stored.at;
  const { data } = useQuery(
    useCalls().chat.open.queryOptions({ input: maybe ? { id: latest.id } : skipToken }),
  );
  return maybe && data?.conversation.id === latest.id && data.conversation.createdAt >= stored.at;
}

/**
 * Returns the model that the person chose last, or else the first one of the latest conversation, if the service in use has it;
 * else the first of the list that does not generate videos.
 */
function useUsualModel(latest: ConversationSummary | undefined): string {
  const models = useModelChoice();
  const isThere = (id: string) =>
    models.length === 0 || models.some(({ model }) => model.id === id);
  const before = [...readModelChoices(), ...(latest?.models.slice(0, 1) ?? [])].find(isThere);
  if (before !== undefined) return before;
  return (models.find(({ model }) => !makesVideos(model)) ?? models[0])?.model.id ?? '';
}
