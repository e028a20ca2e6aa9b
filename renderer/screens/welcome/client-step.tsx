import { Button, Group, Modal, Stack } from '@mantine/core';
import { useState } from 'react';
import type { Connected, ProgramState } from '../../../shared/connect/connection.ts';
import { ClientForm, type ConnectedClient } from '../../client-setup/client-form.tsx';
import { ConnectForm } from '../../client-setup/connect/connect-form.tsx';
import { ClientReady } from './client-ready.tsx';
import { StepHead } from './step-head.tsx';
import type { FirstClient } from './use-progress.ts';

interface ClientStepProps {
  readonly connected: FirstClient | null;
  readonly onConnected: (connected: ConnectedClient | null) => void;
  /** Called when a program is connected. */
  readonly onProgram: (connected: Pick<Connected, 'program' | 'client'>) => void;
  readonly onDone: () => void;
  readonly onBack: () => void;
}

/** Step two: select a program, and connect it or create its local key. */
export function ClientStep(props: ClientStepProps) {
  const { connected, onConnected, onProgram, onDone, onBack } = props;
  const [program, setProgram] = useState<ProgramState | null>(null);
  const [made, setMade] = useState<Connected | null>(null);
  const close = (): void => setProgram(null);
  const open = (chosen: ProgramState): void => {
    const { id, connection } = chosen;
    if (connection === null) setProgram(chosen);
    else onProgram({ program: id, client: connection.client });
  };
  return (
    <Stack gap="md">
      <StepHead title="Which program do you want to connect first?">
        Each program gets its own local key. It only works with Gatehouse on this computer; revoke
        it any time.
      </StepHead>
      {connected === null ? (
        <ClientForm label="Your first client" onConnected={onConnected} onConnect={open} />
      ) : (
        <ClientReady connected={connected} made={made} onAnother={() => onConnected(null)} />
      )}
      {program !== null && (
        <Modal opened onClose={close} title={`Connect ${program.name}`} size="xl">
          <ConnectForm
            program={program}
            onConnected={(result) => {
              close();
              setMade(result);
              onProgram(result);
            }}
            back="Cancel"
            onBack={close}
          />
        </Modal>
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
