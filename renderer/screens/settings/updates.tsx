import { Button, Group, Progress } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { UpdateState } from '../../../shared/desktop-contract.ts';
import { useCalls } from '../../client/client.ts';
import { useDesktopCalls } from '../../client/use-desktop.ts';
import { Ago } from '../../parts/ago.tsx';
import { sayFailed } from '../../parts/said.ts';
import { Restart } from './restart.tsx';
import { Row } from './row.tsx';

interface UpdatesProps {
  readonly state: UpdateState;
}

/** Which version this is, whether there is a newer one, and the way to it. */
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
            <Words state={state} />
          </span>
        </>
      }
    >
      <Ways state={state} />
    </Row>
  );
}

/** How far the way to a newer version is. */
function Words({ state }: UpdatesProps): ReactNode {
  switch (state.name) {
    case 'off':
    case 'failed':
      return state.sentence;
    case 'idle':
      if (state.checkedAt === null) return 'Nobody has looked for a newer one yet.';
      return (
        <>
          There was no newer one <Ago at={state.checkedAt} />.
        </>
      );
    case 'checking':
      return 'Looking for a newer one…';
    case 'available':
      return `There is a newer one: ${state.version}. Nothing is downloaded until you say so.`;
    case 'downloading':
      return `Downloading ${state.version}…`;
    case 'ready':
      return `${state.version} is downloaded. Gatehouse must restart to change to it.`;
  }
}

/** What can be done next. */
function Ways({ state }: UpdatesProps) {
  const { updates } = useDesktopCalls();
  switch (state.name) {
    case 'off':
      return null;
    case 'idle':
    case 'checking':
    case 'failed':
      return (
        <Step
          failure="Nobody could look for a newer version."
          busy={state.name === 'checking'}
          act={() => updates.check()}
        >
          {state.name === 'failed' ? 'Check again' : 'Check for updates'}
        </Step>
      );
    case 'available':
      return (
        <Step failure="It was not downloaded." act={() => updates.download()}>
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
  /** What is said when it was not done: the title above the reason. */
  readonly failure: string;
  readonly busy?: boolean;
  readonly act: () => Promise<unknown>;
  readonly children: ReactNode;
}

function Step({ failure, busy = false, act, children }: StepProps) {
  const step = useMutation({
    mutationFn: act,
    onError: (error) => sayFailed(failure, error),
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
