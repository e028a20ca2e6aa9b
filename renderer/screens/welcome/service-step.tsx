import { Alert, Button, Divider, Group, Stack, Text } from '@mantine/core';
import { IconFlask, IconPin } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import { UpstreamId } from '../../../shared/upstream.ts';
import { useCalls } from '../../api/client.ts';
import { toastError } from '../../hooks/toast.ts';
import { ServiceForm } from './service-form.tsx';
import { StepHead } from './step-head.tsx';
import classes from './welcome.module.css';

const SANDBOX = UpstreamId.parse(SANDBOX_ID);

/** Step one: the service and its key, or the sandbox. */
export function ServiceStep({ onDone }: { readonly onDone: () => void }) {
  const settings = useQuery(useCalls().settings.get.queryOptions());
  const pinned = settings.data?.pinned.upstream;
  return (
    <Stack gap="md">
      <StepHead title="Which service do you use?">
        Gatehouse forwards requests there and adds your service key. Programs never see that key.
      </StepHead>
      <CurrentService onDone={onDone} />
      {pinned === undefined ? (
        <>
          <ServiceForm onDone={onDone} />
          <Divider label="or" className={classes['divider'] ?? ''} />
          <Sandbox onDone={onDone} />
        </>
      ) : (
        <Alert color="gray" icon={<IconPin />} title="The service is set for this run">
          {pinned}
        </Alert>
      )}
    </Stack>
  );
}

/** Shows the service already in use, for a person who returns or used the command line. */
function CurrentService({ onDone }: { readonly onDone: () => void }) {
  const calls = useCalls();
  const status = useQuery(calls.status.get.queryOptions());
  const settings = useQuery(calls.settings.get.queryOptions());
  if (status.data === undefined || settings.data === undefined) return null;
  const { upstream, key } = status.data;
  // The sandbox has a button of its own below, unless it is fixed for this run.
  const sandbox = upstream.kind === 'sandbox';
  if (sandbox && settings.data.pinned.upstream === undefined) return null;
  return (
    <Group className={classes['current'] ?? ''} justify="space-between" gap="sm">
      <div>
        <Text size="sm">
          In use now: <strong>{upstream.name}</strong>
        </Text>
        <Text size="xs" c="dimmed">
          {sandbox ? 'Made-up answers that cost nothing.' : `${upstream.baseUrl}. ${key.sentence}`}
        </Text>
      </div>
      <Button size="xs" variant="default" onClick={onDone}>
        Keep using it
      </Button>
    </Group>
  );
}

function Sandbox({ onDone }: { readonly onDone: () => void }) {
  const use = useMutation(
    useCalls().upstreams.use.mutationOptions({
      onSuccess: onDone,
      onError: (error) => toastError('Could not switch to the sandbox.', error),
    }),
  );
  return (
    <Group justify="space-between" gap="sm">
      <Text size="sm" flex={1} miw={240}>
        No account yet? The sandbox on this machine makes up answers that cost nothing. You can
        change to your own service at any time in Settings.
      </Text>
      <Button
        variant="default"
        leftSection={<IconFlask size={16} aria-hidden />}
        loading={use.isPending}
        onClick={() => use.mutate({ id: SANDBOX })}
      >
        Use the sandbox
      </Button>
    </Group>
  );
}
