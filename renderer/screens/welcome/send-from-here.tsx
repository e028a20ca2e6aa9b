import { Button, Select, Stack, Text } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { NO_CHARGE_SENTENCE } from '../../../shared/money/charge.ts';
import type { ModelTestReport } from '../../../shared/model.ts';
import { toMessage } from '../../format/errors.ts';
import type { TestTarget } from './use-test-target.ts';
import classes from './welcome.module.css';
import type { FirstClient } from './use-progress.ts';

/** The call that sends the request, and its result. */
export interface TestRequest {
  readonly mutate: (request: { model: string; localKey?: string }) => void;
  readonly isPending: boolean;
  readonly data: ModelTestReport | undefined;
  readonly error: Error | null;
}

interface SendFromHereProps {
  readonly connected: FirstClient | null;
  readonly target: TestTarget;
  readonly request: TestRequest;
}

const MODELS_LISTED = 100;

/** Sends one short request as a client would, after saying to which model and whether it may cost anything. */
export function SendFromHere({ connected, target, request }: SendFromHereProps) {
  const { models, model, setModel } = target;
  const key = connected?.key ?? null;
  const send = () => {
    if (model === null) return;
    request.mutate({ model, ...(key !== null && { localKey: key }) });
  };
  return (
    <section className={classes['send'] ?? ''} aria-label="Send one from here">
      {models.length > 1 && (
        <Select
          label="Model"
          placeholder="Choose a model"
          searchable
          limit={MODELS_LISTED}
          data={models}
          value={model}
          onChange={setModel}
          allowDeselect={false}
        />
      )}
      <Text size="sm" id="send-about">
        {describeRequest(target, connected)}
      </Text>
      <Button
        leftSection={<IconSend size={16} aria-hidden />}
        loading={request.isPending}
        disabled={model === null}
        aria-describedby="send-about"
        w="fit-content"
        onClick={send}
      >
        Send one from here
      </Button>
    </section>
  );
}

/** Shows the answer that the request got, or the reason why it got none. */
export function SentFromHere({ data, error }: Pick<TestRequest, 'data' | 'error'>) {
  return (
    <div role="status" aria-label="Answer to the request from here">
      {error !== null && (
        <Text size="sm" mt="md" c="var(--gate-bad)">
          {toMessage(error)}
        </Text>
      )}
      {data !== undefined && (
        <Stack gap={4} mt="md">
          <Text size="sm" c={data.works ? 'dimmed' : 'var(--gate-bad)'}>
            {data.works ? 'The answer begins:' : 'The request from here failed:'}
          </Text>
          <blockquote className={classes['answer'] ?? ''}>{data.text}</blockquote>
        </Stack>
      )}
    </div>
  );
}

function describeRequest(
  { model, service, isSandbox }: TestTarget,
  connected: FirstClient | null,
): string {
  const sender =
    connected === null || connected.key === null
      ? ''
      : ` with the key of “${connected.client.name}”`;
  if (model === null) return 'No model has answered yet. Choose the one to send a request to.';
  const sends = `Sends one short request to ${model}${sender}.`;
  return isSandbox
    ? `${sends} ${NO_CHARGE_SENTENCE}`
    : `${sends} ${service} charges for it as for any other: about 30 tokens.`;
}
