import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import { IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Finding } from '../../../shared/doctor/finding.ts';
import { NO_CHARGE_SENTENCE } from '../../../shared/money/charge.ts';
import { useCalls } from '../../api/client.ts';
import { listTextModels, useCurrentModelList } from '../../api/use-model-list.ts';
import { ModelInput } from '../../client-setup/connect/model-input.tsx';
import { Panel } from '../../components/panel.tsx';
import { toMessage } from '../../format/errors.ts';
import { useIsFree } from '../../hooks/use-is-free.ts';
import classes from './doctor.module.css';
import { FindingList } from './finding-list.tsx';

/** Sends a short request of each protocol to a model that the person chooses, after saying whether it costs anything. */
export function TryModel() {
  const isFree = useIsFree();
  const list = useCurrentModelList();
  const [model, setModel] = useState<string | null>(null);
  const { trial, stop } = useTrial();
  const cost = isFree
    ? NO_CHARGE_SENTENCE
    : 'Your service charges for them as usual: about 100 tokens each.';
  return (
    <Panel title="Try a model">
      <Stack gap="sm">
        <Text size="sm" c="dimmed" id="try-about">
          Sends a short request of each of the three protocols through Gatehouse, and tells whether
          the model answers, how fast, and whether its answer arrives in pieces. They are recorded.{' '}
          {cost}
        </Text>
        <Group gap="sm" align="flex-end">
          <div className={classes['model']}>
            <ModelInput
              label="Model"
              placeholder="Choose a model"
              models={listTextModels(list)}
              value={model}
              onChange={setModel}
            />
          </div>
          {trial.isPending ? (
            <Button variant="default" leftSection={<IconPlayerStop size={15} />} onClick={stop}>
              Stop the trial
            </Button>
          ) : (
            <Button
              variant="light"
              leftSection={<IconPlayerPlay size={15} />}
              disabled={model === null}
              aria-describedby="try-about"
              onClick={() => {
                if (model !== null) trial.mutate(model);
              }}
            >
              {model === null ? 'Try it' : `Try ${model}`}
            </Button>
          )}
        </Group>
        <TrialResult trial={trial} />
      </Stack>
    </Panel>
  );
}

/** Runs a trial, which ends when the person stops it or leaves the screen. */
function useTrial() {
  const calls = useCalls();
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const trial = useMutation<Finding[], Error, string>({
    mutationFn: async (model) => {
      const { signal } = (running.current = new AbortController());
      return await calls.doctor.try.call({ model }, { signal });
    },
  });
  const stop = () => {
    running.current?.abort();
    trial.reset();
  };
  return { trial, stop };
}

interface TrialResultProps {
  readonly trial: ReturnType<typeof useTrial>['trial'];
}

function TrialResult({ trial }: TrialResultProps) {
  const { isPending, error, data, variables } = trial;
  return (
    <div role="status" aria-label="Result of the trial">
      {isPending && (
        <Group gap={8}>
          <Loader size={14} />
          <Text size="sm">Waiting for the answers of {variables}…</Text>
        </Group>
      )}
      {error !== null && (
        <Text size="sm" c="var(--gate-bad)">
          {toMessage(error)}
        </Text>
      )}
      {data !== undefined && (
        <FindingList label={`Answers of ${variables ?? 'the model'}`} name="" findings={data} />
      )}
    </div>
  );
}
