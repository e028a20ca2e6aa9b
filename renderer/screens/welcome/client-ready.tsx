import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import type { Connected } from '../../../shared/connect/connection.ts';
import { ConnectedNote } from '../../client-setup/connect/connected-note.tsx';
import { findProgramOf, usePrograms } from '../../client-setup/connect/use-programs.ts';
import { ToolSettings } from '../../client-setup/tool-settings.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { ScreenLink } from '../../components/screen-link.tsx';
import type { FirstClient } from './use-progress.ts';

interface ClientReadyProps {
  readonly connected: FirstClient;
  /** The connection that was made here; `null` after the screen was left. */
  readonly made: Connected | null;
  readonly onAnother: () => void;
}

/** Shows that the program is connected, or its new local key and the steps that set it up. */
export function ClientReady({ connected, made, onAnother }: ClientReadyProps) {
  const { data = [] } = usePrograms();
  const program = findProgramOf(data, connected.client.id);
  const known = made?.client.id === connected.client.id ? made : null;
  return (
    <Stack gap="md">
      {program === undefined ? (
        <ByHand connected={connected} />
      ) : (
        <ConnectedNote
          name={program.name}
          client={connected.client}
          files={program.connection.files.map(({ path }) => path)}
          notes={known?.notes ?? [`Restart ${program.name} if it is running.`]}
          keyToEnter={known?.keyToEnter ?? null}
        />
      )}
      <Button variant="default" size="xs" w="fit-content" onClick={onAnother}>
        Connect another program
      </Button>
    </Stack>
  );
}

/** Shows the new local key, which is never shown again, and the steps that set the tool up. */
function ByHand({ connected: { tool, client, key } }: Pick<ClientReadyProps, 'connected'>) {
  return (
    <>
      <Alert
        color={key === null ? 'gray' : 'teal'}
        icon={<IconKey />}
        title={`The local key of ${client.name}`}
      >
        {key !== null && <CopyField value={key} what="the local key" />}
        <Text size="xs" mt={6}>
          {key === null ? 'It was shown only once, when it was created.' : 'Shown only once.'} Lost
          it? Create a new one in{' '}
          <ScreenLink to="/clients" search={{ client: client.id }} size="xs" underline="always">
            Clients
          </ScreenLink>
          .
        </Text>
      </Alert>
      <ToolSettings tool={tool} changeable={false} {...(key !== null && { localKey: key })} />
    </>
  );
}
