import { Accordion, Button, Group, Stack } from '@mantine/core';
import { Recipe } from '../../tools/recipe.tsx';
import { TOOLS } from '../../tools/tools.ts';
import { Arrived } from './arrived.tsx';
import type { Connected } from './client-form.tsx';
import { StepHead } from './step-head.tsx';
import { useFirstRequest } from './use-first-request.ts';
import { useGiven } from './use-given.ts';

interface RequestStepProps {
  readonly connected: Connected | null;
  readonly onDone: () => void;
  readonly onBack: () => void;
}

/** Step three: waits for the first request, and shows what was seen of it. */
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
      <Arrived exchange={arrived} />
      {!works && <ByHand connected={connected} />}
      <Group justify="space-between">
        <Button variant="default" onClick={onBack}>
          Back
        </Button>
        <Button variant={works ? 'filled' : 'default'} onClick={onDone}>
          {works ? 'Done' : 'Finish without'}
        </Button>
      </Group>
    </Stack>
  );
}

/** A request to paste, for whoever has no program at hand. */
function ByHand({ connected }: { readonly connected: Connected | null }) {
  const { given } = useGiven(connected?.made.key);
  const curl = TOOLS.find(({ id }) => id === 'curl');
  if (curl === undefined || connected?.tool.id === curl.id) return null;
  return (
    <Accordion variant="contained">
      <Accordion.Item value="curl">
        <Accordion.Control>Or send one from a terminal</Accordion.Control>
        <Accordion.Panel>
          <Recipe tool={curl} given={given} />
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
