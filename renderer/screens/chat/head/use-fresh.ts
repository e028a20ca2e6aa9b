import { skipToken, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type {
  ChatSettings,
  ConversationSummary,
  NewConversation,
} from '../../../../shared/chat.ts';
import { useCalls } from '../../../client/client.ts';
import { useModelChoice } from '../../../client/use-model-list.ts';
import { keepFresh, keptFresh, type KeptFresh } from './kept-fresh.ts';
import { makesVideos } from './model-words.ts';

const NOTHING_SET: ChatSettings = {
  system: '',
  temperature: null,
  maxTokens: null,
  imagesAnyway: false,
};

interface Fresh {
  readonly fresh: NewConversation;
  readonly setFresh: (fresh: NewConversation) => void;
}

/**
 * What a new conversation begins with: what was chosen for it, also before a reload, until one has begun; then the usual model.
 * The model is empty as long as none is known.
 */
export function useFresh(): Fresh {
  const [kept, setKept] = useState(keptFresh);
  const { page, latest } = useLatest();
  const begun = useBegun(kept, latest);
  useEffect(() => {
    if (!begun) return;
    keepFresh(null);
    setKept(null);
  }, [begun]);
  const model = useUsualModel(latest);
  const usual = page === 'pending' ? '' : model;
  const fresh = useMemo(
    () => (kept !== null && !begun ? kept.fresh : freshOf(usual)),
    [kept, begun, usual],
  );
  const setFresh = (next: NewConversation): void => {
    const chosen = { at: Date.now(), fresh: next };
    keepFresh(chosen);
    setKept(chosen);
  };
  return { fresh, setFresh };
}

function freshOf(model: string): NewConversation {
  return { settings: NOTHING_SET, lanes: [{ model, protocol: null }] };
}

function useLatest() {
  const calls = useCalls();
  const { data, status } = useQuery(
    calls.chat.page.queryOptions({ input: { find: '', limit: 1 } }),
  );
  return { page: status, latest: data?.conversations[0] };
}

/** Whether a conversation has begun since: with what was chosen, or in its place. */
function useBegun(kept: KeptFresh | null, latest: ConversationSummary | undefined): boolean {
  const maybe = kept !== null && latest !== undefined && latest.changedAt >= kept.at;
  const { data } = useQuery(
    useCalls().chat.open.queryOptions({ input: maybe ? { id: latest.id } : skipToken }),
  );
  return maybe && data?.conversation.id === latest.id && data.conversation.createdAt >= kept.at;
}

/** The first model of the latest conversation, unless the service in use has it no more; else the first of the list that makes no videos. */
function useUsualModel(latest: ConversationSummary | undefined): string {
  const models = useModelChoice();
  const before = latest?.models[0];
  const isThere = models.length === 0 || models.some(({ model }) => model.id === before);
  if (before !== undefined && isThere) return before;
  return (models.find(({ model }) => !makesVideos(model)) ?? models[0])?.model.id ?? '';
}
