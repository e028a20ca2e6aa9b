import { Select, SimpleGrid, Skeleton, Stack, Title } from '@mantine/core';
import { useState } from 'react';
import { ErrorState } from '../components/states/error-state.tsx';
import type { ClientTool } from '../../shared/client-setup/client-tool.ts';
import { another } from '../../shared/client-setup/other-tools.ts';
import { Recipe } from './recipe.tsx';
import { toolFilter } from './tool-filter.ts';
import { TOOLS } from '../../shared/client-setup/tools.ts';
import { useSetupValues } from './use-setup-values.ts';

const MAX_SHOWN = 50;

interface ToolSettingsProps {
  /** The tool that is shown first. */
  readonly tool: ClientTool;
  /** Whether another tool can be selected. */
  readonly changeable?: boolean;
  /** Absent when the key can no longer be shown. */
  readonly localKey?: string;
  /** The model that the person came with. */
  readonly model?: string | undefined;
}

/** Shows the settings for a tool, filled with a local key and a model of the list. */
export function ToolSettings({ tool, changeable = true, localKey, model }: ToolSettingsProps) {
  const [toolId, setTool] = useState(tool.id);
  const shown = TOOLS.find(({ id }) => id === toolId) ?? tool;
  const setup = useSetupValues({ tool: shown, key: localKey, model });
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, xs: changeable ? 2 : 1 }} spacing="sm">
        {changeable && (
          <Select
            label="Program"
            data={TOOLS.map(({ id, name }) => ({ value: id, label: name }))}
            value={toolId}
            onChange={(id) => setTool(id ?? another.id)}
            allowDeselect={false}
            searchable
            filter={toolFilter}
          />
        )}
        <Select
          label="Model"
          placeholder={setup.models.length === 0 ? 'No models known' : 'Choose a model'}
          data={setup.models}
          value={setup.model}
          onChange={setup.setModel}
          allowDeselect={false}
          searchable
          limit={MAX_SHOWN}
          nothingFoundMessage="This model is not in the list."
        />
      </SimpleGrid>
      {setup.addresses === 'error' && (
        <ErrorState
          title="Could not load the addresses."
          error={setup.error}
          onRetry={setup.retry}
        />
      )}
      {setup.addresses === 'pending' && <Skeleton h={180} />}
      {setup.addresses === 'success' && (
        <div>
          {!changeable && (
            <Title order={3} mb="xs">
              {shown === another ? 'In the program' : `In ${shown.name}`}
            </Title>
          )}
          <Recipe key={shown.id} tool={shown} values={setup.values} />
        </div>
      )}
    </Stack>
  );
}

/** Finds the tool that a client is named after. */
export function guessTool(clientName: string): ClientTool {
  const name = clientName.toLowerCase();
  return TOOLS.find((tool) => name.includes(tool.name.toLowerCase())) ?? another;
}
