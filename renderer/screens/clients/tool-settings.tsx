import { Select, SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ModelSummary } from '../../../shared/model.ts';
import { useCalls } from '../../api/client.ts';
import { useModelChoice } from '../../api/use-model-list.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { Recipe } from '../../client-setup/recipe.tsx';
import {
  KEY_PLACEHOLDER,
  MODEL_PLACEHOLDER,
  type ClientTool,
} from '../../client-setup/client-tool.ts';
import { toolFilter } from '../../client-setup/tool-filter.ts';
import { TOOLS } from '../../client-setup/tools.ts';

const MAX_SHOWN = 50;
const OTHER = 'another';

interface ToolSettingsProps {
  /** Name of the client, from which the tool is guessed. */
  readonly clientName: string;
  /** `null` when the key can no longer be shown. */
  readonly localKey: string | null;
}

/** Shows the settings for a selected tool, filled with a model of the list. */
export function ToolSettings({ clientName, localKey }: ToolSettingsProps) {
  const calls = useCalls();
  const status = useQuery(calls.status.get.queryOptions());
  const [toolId, setTool] = useState(() => guessTool(clientName).id);
  const [picked, setModel] = useState<string | null>(null);
  const summaries = useModelChoice();
  const model = picked ?? latestModel(summaries);
  const tool = TOOLS.find(({ id }) => id === toolId);
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Select
          label="Program"
          data={TOOLS.map(({ id, name }) => ({ value: id, label: name }))}
          value={toolId}
          onChange={(id) => setTool(id ?? OTHER)}
          allowDeselect={false}
          searchable
          filter={toolFilter}
        />
        <Select
          label="Model"
          placeholder="No models known"
          data={[...new Set(summaries.map(({ model: { id } }) => id))]}
          value={model}
          onChange={setModel}
          allowDeselect={false}
          searchable
          limit={MAX_SHOWN}
          nothingFoundMessage="No such model in the list."
        />
      </SimpleGrid>
      {status.data === undefined && status.error !== null && (
        <ErrorState
          title="Could not load the addresses."
          error={status.error}
          onRetry={() => void status.refetch()}
        />
      )}
      {status.isPending && <Skeleton h={180} />}
      {status.data !== undefined && tool !== undefined && (
        <Recipe
          key={tool.id}
          tool={tool}
          values={{
            ...status.data.baseUrls,
            key: localKey ?? KEY_PLACEHOLDER,
            model: model ?? MODEL_PLACEHOLDER,
          }}
        />
      )}
    </Stack>
  );
}

/** Finds the tool that a client is named after. */
function guessTool(clientName: string): Pick<ClientTool, 'id'> {
  const name = clientName.toLowerCase();
  return TOOLS.find((tool) => name.includes(tool.name.toLowerCase())) ?? { id: OTHER };
}

/** Returns the most recently used model, the likeliest choice. */
function latestModel(summaries: readonly ModelSummary[]): string | null {
  const [first] = summaries.toSorted((a, b) => (b.lastUsedAt ?? 0) - (a.lastUsedAt ?? 0));
  return first?.model.id ?? null;
}
