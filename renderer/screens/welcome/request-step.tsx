import { Accordion, Button, Group, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { useCalls } from '../../api/client.ts';
import { findProgramOf, usePrograms } from '../../client-setup/connect/use-programs.ts';
import { Recipe } from '../../client-setup/recipe.tsx';
import { curl } from '../../../shared/client-setup/other-tools.ts';
import { isWorking } from './choose-first-request.ts';
import { FirstRequest } from './first-request.tsx';
import { KeepBodies } from './keep-bodies.tsx';
import { SendFromHere, SentFromHere } from './send-from-here.tsx';
import { StepHead } from './step-head.tsx';
import { useFirstRequest } from './use-first-request.ts';
import { useTestTarget } from './use-test-target.ts';
import { useSetupValues } from '../../client-setup/use-setup-values.ts';
import type { FirstClient } from './use-progress.ts';

interface RequestStepProps {
  readonly connected: FirstClient | null;
  /** Called when a request of any client has worked. */
  readonly onWorks: () => void;
  readonly onDone: () => void;
  readonly onBack: () => void;
}

/** Step three: waits for the first request and shows its facts. */
export function RequestStep({ connected, onWorks, onDone, onBack }: RequestStepProps) {
  const { shown: arrived, works } = useFirstRequest(connected);
  const { data: programs = [] } = usePrograms(connected !== null);
  const program = connected === null ? undefined : findProgramOf(programs, connected.client.id);
  const target = useTestTarget();
  const request = useMutation(useCalls().models.try.mutationOptions());
  const isShownWorking = arrived !== undefined && isWorking(arrived);
  const reportWorks = useEffectEvent(onWorks);
  useEffect(() => {
    if (works) reportWorks();
  }, [works]);
  const isFromHere = arrived !== undefined && arrived.id === request.data?.exchangeId;
  // The request of another client says little about this one.
  const isOfOther = connected !== null && arrived?.clientName !== connected.client.name;
  const hasSend = !isShownWorking || (isOfOther && !isFromHere);
  return (
    <Stack gap="md">
      <StepHead title="Send a first request">{describeStep(connected, program?.name)}</StepHead>
      <div>
        <FirstRequest exchange={arrived} connected={connected} isFromHere={isFromHere} />
        <SentFromHere data={request.data} error={request.error} />
      </div>
      {hasSend && <SendFromHere connected={connected} target={target} request={request} />}
      {!isShownWorking && <ByHand connected={connected} />}
      <KeepBodies />
      <Group justify="space-between">
        <Button variant="default" onClick={onBack}>
          Back
        </Button>
        <Button variant={works ? 'filled' : 'default'} onClick={onDone}>
          {works ? 'Done' : 'Finish without a test'}
        </Button>
      </Group>
    </Stack>
  );
}

function describeStep(connected: FirstClient | null, program: string | undefined): string {
  if (connected === null) return 'Send a request from here, or use any program that is connected.';
  const restart = program === undefined ? '' : `Restart ${program} if it is running. `;
  return `${restart}Ask something in “${connected.client.name}”, or send a request from here. It appears below and in History.`;
}

/** Shows a command that sends a request, for a person without a program. */
function ByHand({ connected }: { readonly connected: FirstClient | null }) {
  const { values } = useSetupValues({ tool: curl, key: connected?.key ?? undefined });
  if (connected?.tool.id === curl.id) return null;
  return (
    <Accordion variant="contained">
      <Accordion.Item value="curl">
        <Accordion.Control>Or send one from a terminal</Accordion.Control>
        <Accordion.Panel>
          <Recipe tool={curl} values={values} />
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
