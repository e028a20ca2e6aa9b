import { Button, Group, Modal, Skeleton, Stack, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { ClientTool } from '../../../../shared/client-setup/client-tool.ts';
import type { Connected, ProgramState } from '../../../../shared/connect/connection.ts';
import { ConnectForm } from '../../../client-setup/connect/connect-form.tsx';
import { ConnectedNote } from '../../../client-setup/connect/connected-note.tsx';
import { ProgramList } from '../../../client-setup/connect/program-list.tsx';
import { usePrograms } from '../../../client-setup/connect/use-programs.ts';
import { ErrorState } from '../../../components/states/error-state.tsx';
import classes from './connect.module.css';

interface ConnectDialogProps {
  /** The program that is shown first; the list without one. */
  readonly program?: string | undefined;
  /** The model that the person came with. */
  readonly model: string | undefined;
  /** Called with a tool that is set up by hand. */
  readonly onTool: (tool: ClientTool) => void;
  readonly onClose: () => void;
}

/** Chooses a program, shows the change of its settings, and connects it. */
export function ConnectDialog({ program: first, model, onTool, onClose }: ConnectDialogProps) {
  const [chosen, setChosen] = useState(first);
  const [connected, setConnected] = useState<Connected | null>(null);
  const { data, error, refetch } = usePrograms();
  const program = data?.find(({ id }) => id === chosen);
  return (
    <Modal
      opened
      onClose={onClose}
      title="Connect a program"
      size="xl"
      closeOnClickOutside={connected === null || connected.keyToEnter === null}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {data === undefined && error !== null && (
        <ErrorState
          title="Could not look for the programs."
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && program === undefined && (
        <ProgramList
          programs={data}
          onProgram={({ id }) => setChosen(id)}
          onTool={onTool}
          autoFocus
        />
      )}
      {program !== undefined && connected === null && (
        <Stack gap="sm">
          <StepTitle>{describeStep(program)}</StepTitle>
          <ConnectForm
            program={program}
            model={model}
            onConnected={setConnected}
            back={first === undefined ? 'Back' : 'Cancel'}
            onBack={() => (first === undefined ? setChosen(undefined) : onClose())}
          />
        </Stack>
      )}
      {program !== undefined && connected !== null && (
        <Stack gap="md">
          <StepTitle>The change was made</StepTitle>
          <ConnectedNote name={program.name} {...connected} onLeave={onClose} />
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

function describeStep({ name, connection }: ProgramState): string {
  return connection === null ? `Connect ${name}` : `Change the connection of ${name}`;
}

/** The title of a step. It takes the focus, because the button that led here is gone. */
function StepTitle({ children }: { readonly children: string }) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  return (
    <Title order={3} ref={title} tabIndex={-1} className={classes['title'] ?? ''}>
      {children}
    </Title>
  );
}

const ROWS = Array.from({ length: 5 }, (_, row) => row);

function Loading() {
  return (
    <Stack gap={8} role="group" aria-busy aria-label="Looking for the programs">
      {ROWS.map((row) => (
        <Skeleton key={row} h={44} />
      ))}
    </Stack>
  );
}
