import { Button, Group, Loader, Text, Title } from '@mantine/core';
import { IconCircleCheck, IconCircleX, IconPlayerPlay } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { NO_CHARGE_SENTENCE } from '../../../shared/money/charge.ts';
import { useIsFree } from '../../hooks/use-is-free.ts';
import type { ModelTestReport } from '../../../shared/model.ts';
import { useCalls } from '../../api/client.ts';
import { formatDuration } from '../../../shared/format.ts';
import { toMessage } from '../../format/errors.ts';
import { ScreenLink } from '../../components/screen-link.tsx';
import classes from './models.module.css';

/** Sends one cheap request to a model and shows the result. */
export function ModelTest({ model }: { readonly model: string }) {
  const isSandbox = useIsFree();
  const trial = useMutation(useCalls().models.try.mutationOptions());
  return (
    <section aria-label="Try this model">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div>
          <Title order={3}>Try it</Title>
          <Text size="xs" c="dimmed">
            Sends one short question through Gatehouse. It is recorded.{' '}
            {isSandbox ? NO_CHARGE_SENTENCE : 'Your service charges for it as usual.'}
          </Text>
        </div>
        <Button
          size="xs"
          variant="light"
          flex="none"
          leftSection={<IconPlayerPlay size={14} />}
          disabled={trial.isPending}
          onClick={() => trial.mutate({ model })}
        >
          Try
        </Button>
      </Group>
      <div role="status" aria-label="Test result">
        {trial.isPending && (
          <Group gap={8} mt={8}>
            <Loader size={14} />
            <Text size="sm">Waiting for the answer…</Text>
          </Group>
        )}
        {trial.isError && (
          <Text size="sm" mt={8} c="var(--gate-bad)">
            {toMessage(trial.error)}
          </Text>
        )}
        {trial.isSuccess && <ModelTestResult trial={trial.data} />}
      </div>
    </section>
  );
}

function ModelTestResult({ trial }: { readonly trial: ModelTestReport }) {
  const { works, status, text, durationMs, exchangeId } = trial;
  const Icon = works ? IconCircleCheck : IconCircleX;
  return (
    <>
      <Group gap={6} mt={8} mb={6} c={works ? 'var(--gate-good)' : 'var(--gate-bad)'}>
        <Icon size={16} aria-hidden />
        <Text size="sm" fw={500}>
          {works ? 'It works' : 'It did not work'}
        </Text>
        <Text size="sm" c="dimmed" data-figures>
          {status === null ? 'no answer' : `status ${status}`}, {formatDuration(durationMs)}
        </Text>
      </Group>
      <pre className={classes['answer']}>{text === '' ? '(no text)' : text}</pre>
      {exchangeId !== null && (
        <Text size="sm" mt={6}>
          <ScreenLink to="/history" search={{ exchange: exchangeId }}>
            Show the exchange
          </ScreenLink>
        </Text>
      )}
    </>
  );
}
