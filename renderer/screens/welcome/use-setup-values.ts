import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCalls } from '../../api/client.ts';
import { useModelChoice } from '../../api/use-model-list.ts';
import {
  type SetupValues,
  KEY_PLACEHOLDER,
  MODEL_PLACEHOLDER,
} from '../../client-setup/client-tool.ts';

interface SetupState {
  readonly values: SetupValues;
  /** The model ids to choose from. */
  readonly models: readonly string[];
  readonly model: string | null;
  readonly setModel: (id: string | null) => void;
}

/**
 * Returns the values for a recipe: the addresses, a local key if there is one, and the selected model of the service, by
 * default the first.
 */
export function useSetupValues(key: string = KEY_PLACEHOLDER): SetupState {
  const calls = useCalls();
  const status = useQuery(calls.status.get.queryOptions());
  const [chosen, setModel] = useState<string | null>(null);
  const models = useModelChoice().map(({ model }) => model.id);
  const model = chosen !== null && models.includes(chosen) ? chosen : (models[0] ?? null);
  const { chat = '', messages = '' } = status.data?.baseUrls ?? {};
  return {
    values: { chat, messages, key, model: model ?? MODEL_PLACEHOLDER },
    models,
    model,
    setModel,
  };
}
