import { Alert, Button, Select, Stack, Text, Title } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { CopyField } from '../../components/copy-field.tsx';
import { Recipe } from '../../client-setup/recipe.tsx';
import type { ConnectedClient } from './client-form.tsx';
import { useSetupValues } from './use-setup-values.ts';

interface ClientReadyProps {
  readonly connected: ConnectedClient;
  readonly onAnother: () => void;
}

const MODELS_LISTED = 100;

/** Shows the new local key, which is never shown again, and the steps that set the tool up. */
export function ClientReady({ connected: { tool, made }, onAnother }: ClientReadyProps) {
  const { values, models, model, setModel } = useSetupValues(made.key);
  return (
    <Stack gap="md">
      <Alert color="teal" icon={<IconKey />} title={`The local key of ${made.client.name}`}>
        <CopyField value={made.key} what="the local key" />
        <Text size="xs" mt={6}>
          Shown only once. Lost it? Create a new one in Clients.{' '}
        </Text>
      </Alert>
      {models.length > 0 && (
        <Select
          label="Model"
          description="Used in the settings below."
          searchable
          limit={MODELS_LISTED}
          data={models}
          value={model}
          onChange={setModel}
          allowDeselect={false}
        />
      )}
      <div>
        <Title order={3} mb="xs">
          In {tool.name}
        </Title>
        <Recipe tool={tool} values={values} />
      </div>
      <Button variant="default" size="xs" w="fit-content" onClick={onAnother}>
        Connect another program
      </Button>
    </Stack>
  );
}
