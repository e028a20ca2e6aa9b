import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCalls } from '../api/client.ts';
import { listTextModels, useCurrentModelList } from '../api/use-model-list.ts';
import {
  type ClientTool,
  type SetupValues,
  KEY_PLACEHOLDER,
  MODEL_PLACEHOLDER,
} from '../../shared/client-setup/client-tool.ts';
import { preselectModel } from '../../shared/client-setup/preselected-model.ts';

interface SetupOptions {
  readonly tool: ClientTool;
  /** A placeholder by default. */
  readonly key?: string | undefined;
  /** The model that the person came with. */
  readonly model?: string | undefined;
}

interface SetupState {
  readonly values: SetupValues;
  /** The addresses, which are needed first. */
  readonly addresses: 'pending' | 'error' | 'success';
  /** Asks for the addresses again. */
  readonly retry: () => void;
  readonly error: Error | null;
  /** The ids of the models for text, each once. */
  readonly models: readonly string[];
  readonly model: string | null;
  readonly setModel: (id: string | null) => void;
}

/**
 * Returns the values for a tool's recipe: the addresses, a local key if there is one, and the selected model of the service, by
 * default the one that answered the tool's protocol the latest.
 */
export function useSetupValues({
  tool,
  key = KEY_PLACEHOLDER,
  model: given,
}: SetupOptions): SetupState {
  const calls = useCalls();
  const status = useQuery(calls.status.get.queryOptions());
  const [picked, setModel] = useState<string | null>(given ?? null);
  const list = useCurrentModelList();
  const models = listTextModels(list) ?? [];
  const isListed = picked !== null && models.includes(picked);
  const model = isListed ? picked : preselectModel(tool, list);
  const { chat = '', messages = '' } = status.data?.baseUrls ?? {};
  return {
    values: { chat, messages, key, model: model ?? MODEL_PLACEHOLDER },
    addresses: status.data === undefined ? status.status : 'success',
    retry: () => void status.refetch(),
    error: status.error,
    models,
    model,
    setModel,
  };
}
