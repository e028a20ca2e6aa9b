import { Accordion, Button, Group, Stack } from '@mantine/core';
import { Recipe } from '../../client-setup/recipe.tsx';
import { TOOLS } from '../../client-setup/tools.ts';
import { FirstRequest } from './first-request.tsx';
import type { ConnectedClient } from './client-form.tsx';
import { StepHead } from './step-head.tsx';
import { useFirstRequest } from './use-first-request.ts';
import { useSetupValues } from './use-setup-values.ts';

interface RequestStepProps {
  readonly connected: ConnectedClient | null;
  readonly onDone: () => void;
  readonly onBack: () => void;
}

/** Step three: waits for the first request and shows its facts. */
export function RequestStep({ connected, onDone, onBack }: RequestStepProps) {
  const arrived = useFirstRequest(connected?.made.client.createdAt);
  const works = arrived?.status != null && arrived.status < 400;
  return (
    <Stack gap="md">
      <StepHead title="Send a first request">
        {connected === null
          ? 'Use any program that is connected, or the command below.'
          : `Ask something in ${connected.tool.name}. What you see here was recorded by Gatehouse.`}
      </StepHead>
      <FirstRequest exchange={arrived} />
      {!works && <ByHand connected={connected} />}
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

/** Shows a command that sends a request, for a person without a program. */
function ByHand({ connected }: { readonly connected: ConnectedClient | null }) {
  const { values } = useSetupValues(connected?.made.key);
  const curl = TOOLS.find(({ id }) => id === 'curl');
  if (curl === undefined || connected?.tool.id === curl.id) return null;
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
