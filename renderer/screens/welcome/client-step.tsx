import { Button, Group, Modal, Skeleton, Stack } from '@mantine/core';
import { useState } from 'react';
import type { ClientTool } from '../../../shared/client-setup/client-tool.ts';
import type { Connected, ProgramState } from '../../../shared/connect/connection.ts';
import { ClientForm, type ConnectedClient } from '../../client-setup/client-form.tsx';
import { ConnectForm } from '../../client-setup/connect/connect-form.tsx';
import { ProgramList } from '../../client-setup/connect/program-list.tsx';
import { findProgramOf, usePrograms } from '../../client-setup/connect/use-programs.ts';
import { ErrorState } from '../../components/states/error-state.tsx';
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
  const [made, setMade] = useState<Connected | null>(null);
  return (
    <Stack gap="md">
      <Head connected={connected} />
      {connected === null ? (
        <Choice
          onConnected={onConnected}
          onProgram={onProgram}
          onMade={(result) => {
            setMade(result);
            onProgram(result);
          }}
        />
      ) : (
        <ClientReady connected={connected} made={made} onAnother={() => onConnected(null)} />
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

/** Asks for a program, or says what is done and what comes next. */
function Head({ connected }: Pick<ClientStepProps, 'connected'>) {
  const { data = [] } = usePrograms();
  if (connected === null) {
    return (
      <StepHead key="choice" title="Which program do you want to connect first?">
        Each program gets its own local key. It only works with Gatehouse on this computer; revoke
        it any time.
      </StepHead>
    );
  }
  return findProgramOf(data, connected.client.id) === undefined ? (
    <StepHead key="key" title="The local key was created">
      Next: enter it in the program as shown below, then continue with a first request.
    </StepHead>
  ) : (
    <StepHead key="connected" title="The program is connected">
      Next: continue with a first request. You can connect other programs now or later.
    </StepHead>
  );
}

interface ChoiceProps extends Pick<ClientStepProps, 'onConnected' | 'onProgram'> {
  /** Called when the settings of a program were changed. */
  readonly onMade: (connected: Connected) => void;
}

/** Lists the programs, and connects the chosen one or creates a key for it. */
function Choice({ onConnected, onProgram, onMade }: ChoiceProps) {
  const { data, error, refetch } = usePrograms();
  const [program, setProgram] = useState<ProgramState | null>(null);
  const [tool, setTool] = useState<ClientTool | null>(null);
  const open = (chosen: ProgramState): void => {
    const { id, connection } = chosen;
    if (connection === null) setProgram(chosen);
    else onProgram({ program: id, client: connection.client });
  };
  const byHand = (chosen: ClientTool): void => {
    setProgram(null);
    setTool(chosen);
  };
  if (tool !== null) {
    return (
      <ClientForm
        label="Your first client"
        tool={tool}
        onConnected={onConnected}
        onCancel={() => setTool(null)}
      />
    );
  }
  if (data === undefined) {
    return error === null ? (
      <Skeleton h={320} aria-label="Looking for the programs" />
    ) : (
      <ErrorState
        title="Could not look for the programs."
        error={error}
        onRetry={() => void refetch()}
      />
    );
  }
  return (
    <>
      <ProgramList programs={data} onProgram={open} onTool={byHand} autoFocus={false} />
      {program !== null && (
        <Modal
          opened
          onClose={() => setProgram(null)}
          title={`Connect ${program.name}`}
          size="xl"
          closeButtonProps={{ 'aria-label': 'Close' }}
        >
          <ConnectForm
            program={program}
            onConnected={onMade}
            back="Cancel"
            onBack={() => setProgram(null)}
            onByHand={byHand}
          />
        </Modal>
      )}
    </>
  );
}
