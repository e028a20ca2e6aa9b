import { Button, Group, Stack } from '@mantine/core';
import { ClientForm, type ConnectedClient } from './client-form.tsx';
import { ClientReady } from './client-ready.tsx';
import { StepHead } from './step-head.tsx';

interface ClientStepProps {
  readonly connected: ConnectedClient | null;
  readonly onConnected: (connected: ConnectedClient | null) => void;
  readonly onDone: () => void;
  readonly onBack: () => void;
}

/** Step two: select a program, create its local key, and set it up. */
export function ClientStep({ connected, onConnected, onDone, onBack }: ClientStepProps) {
  return (
    <Stack gap="md">
      <StepHead title="Which program do you want to connect first?">
        Each program gets its own local key. It only works with Gatehouse on this computer; revoke
        it any time.
      </StepHead>
      {connected === null ? (
        <ClientForm onConnected={onConnected} />
      ) : (
        <ClientReady connected={connected} onAnother={() => onConnected(null)} />
      )}
      <Group justify="space-between">
        <Button variant="default" onClick={onBack}>
          Back
        </Button>
        <Button variant={connected === null ? 'default' : 'filled'} onClick={onDone}>
          {connected === null ? 'Skip this step' : 'Continue'}
        </Button>
      </Group>
    </Stack>
  );
}
