import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCalls } from '../../client/client.ts';
import { useModelChoice } from '../../client/use-model-list.ts';
import { type Given, KEY_PLACEHOLDER, MODEL_PLACEHOLDER } from '../../tools/tool.ts';

interface GivenNow {
  readonly given: Given;
  /** Ids to choose from. */
  readonly models: readonly string[];
  readonly model: string | null;
  readonly setModel: (id: string | null) => void;
}

/** What a recipe is made for: the addresses, a local key if there is one, and a model of the service, the first unless another is chosen. */
export function useGiven(key: string = KEY_PLACEHOLDER): GivenNow {
  const calls = useCalls();
  const status = useQuery(calls.status.get.queryOptions());
  const [chosen, setModel] = useState<string | null>(null);
  const models = useModelChoice().map(({ model }) => model.id);
  const model = chosen !== null && models.includes(chosen) ? chosen : (models[0] ?? null);
  const { chat = '', messages = '' } = status.data?.baseUrls ?? {};
  return {
    given: { chat, messages, key, model: model ?? MODEL_PLACEHOLDER },
    models,
    model,
    setModel,
  };
}
