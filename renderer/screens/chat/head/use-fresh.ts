import { useState } from 'react';
import type { NewConversation } from '../../../../shared/chat.ts';
import { useModelChoice } from '../../../client/use-model-list.ts';

/** What a new conversation begins with: as the latest one, until something else is chosen. */
export function useFresh(): {
  readonly fresh: NewConversation;
  readonly setFresh: (fresh: NewConversation) => void;
} {
  const models = useModelChoice();
  const [chosen, setFresh] = useState<NewConversation | null>(null);
  const model = models[0]?.model.id ?? '';
  const fresh = chosen ?? {
    settings: { system: '', temperature: null, maxTokens: null, imagesAnyway: false },
    lanes: [{ model, protocol: null }],
  };
  return { fresh, setFresh };
}
