import { Button, Text } from '@mantine/core';
import { IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import type { ClientSummary } from '../../../shared/client.ts';
import { useClientStop } from '../../hooks/clients/use-client-stop.ts';

/** Refuses the requests of a client until a person lets it go on. */
export function StopClient({ client }: { readonly client: ClientSummary }) {
  const { stop, isStopping, resume, isResuming } = useClientStop(client);
  return client.stopped ? (
    <div>
      <Text size="sm" mb={6}>
        It is stopped: its requests for answers are refused until you let it go on, or Gatehouse
        starts again.
      </Text>
      <Button
        size="xs"
        leftSection={<IconPlayerPlay size={15} />}
        loading={isResuming}
        onClick={resume}
      >
        Let it go on
      </Button>
    </div>
  ) : (
    <Button
      variant="default"
      size="xs"
      leftSection={<IconPlayerStop size={15} />}
      loading={isStopping}
      onClick={stop}
    >
      Stop it
    </Button>
  );
}
