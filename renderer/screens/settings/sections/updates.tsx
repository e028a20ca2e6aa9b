import { Button, Group, Progress } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { UpdateState } from '../../../../shared/desktop/desktop-contract.ts';
import { useCalls } from '../../../api/client.ts';
import { useDesktopCalls } from '../../../api/use-desktop.ts';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { toastError } from '../../../hooks/toast.ts';
import { Restart } from './restart.tsx';
import { Row } from '../setting-row.tsx';

interface UpdatesProps {
  readonly state: UpdateState;
}

/** Shows the version, whether a newer one exists, and the button of the next step. */
export function Updates({ state }: UpdatesProps) {
  const { data } = useQuery(useCalls().status.get.queryOptions());
  const version = data === undefined ? '' : `This is Gatehouse ${data.version}. `;
  return (
    <Row
      label="Updates"
      about={
        <>
          {version}
          <span role="status">
            <UpdateMessage state={state} />
          </span>
        </>
      }
    >
      <UpdateActions state={state} />
    </Row>
  );
}

/** Describes the progress of an update. */
function UpdateMessage({ state }: UpdatesProps): ReactNode {
  switch (state.name) {
    case 'off':
    case 'failed':
      return state.sentence;
    case 'idle':
      if (state.checkedAt === null) return 'Not checked yet.';
      return (
        <>
          Up to date, checked <RelativeTime at={state.checkedAt} />.
        </>
      );
    case 'checking':
      return 'Checking for updates…';
    case 'available':
      return `Version ${state.version} is available. Nothing is downloaded until you choose to.`;
    case 'downloading':
      return `Downloading ${state.version}…`;
    case 'ready':
      return `${state.version} is downloaded. Restart Gatehouse to update to it.`;
  }
}

/** Offers the next step. */
function UpdateActions({ state }: UpdatesProps) {
  const { updates } = useDesktopCalls();
  switch (state.name) {
    case 'off':
      return null;
    case 'idle':
    case 'checking':
    case 'failed':
      return (
        <Step
          failure="The check failed."
          busy={state.name === 'checking'}
          act={() => updates.check()}
        >
          {state.name === 'failed' ? 'Check again' : 'Check for updates'}
        </Step>
      );
    case 'available':
      return (
        <Step failure="Could not download the update." act={() => updates.download()}>
          Download {state.version}
        </Step>
      );
    case 'downloading':
      return <Progress value={state.percent} mt={8} aria-label="Downloaded" />;
    case 'ready':
      return <Restart />;
  }
}

interface StepProps {
  /** Title of the notification when the step fails. */
  readonly failure: string;
  readonly busy?: boolean;
  readonly act: () => Promise<unknown>;
  readonly children: ReactNode;
}

function Step({ failure, busy = false, act, children }: StepProps) {
  const step = useMutation({
    mutationFn: act,
    onError: (error) => toastError(failure, error),
  });
  return (
    <Group justify="flex-end">
      <Button
        variant="default"
        size="compact-sm"
        loading={busy || step.isPending}
        onClick={() => step.mutate()}
      >
        {children}
      </Button>
    </Group>
  );
}
