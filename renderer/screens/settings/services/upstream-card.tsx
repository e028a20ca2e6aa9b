import type { UpstreamWithKey } from './upstream-form.ts';
import { ActionIcon, Badge, Box, Button, Group, Menu, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDots, IconPencil, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Upstream } from '../../../../shared/upstream.ts';
import { useCalls } from '../../../api/client.ts';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { toastSuccess, toastError } from '../../../hooks/toast.ts';
import { ServiceKeyRow } from './service-key-row.tsx';
import classes from './upstream-card.module.css';
import { UpstreamDialog } from './upstream-dialog.tsx';

interface CardProps {
  readonly upstream: UpstreamWithKey;
  /** Whether the service in use is fixed for this run. */
  readonly fixed: boolean;
  /** Whether it is the only service. */
  readonly alone: boolean;
}

/** Shows one service and the actions on it. */
export function UpstreamCard({ upstream, fixed, alone }: CardProps) {
  const { name, active, kind } = upstream;
  return (
    <Box
      component="li"
      className={classes['card'] ?? ''}
      data-active={active || undefined}
      aria-label={name}
    >
      <Group gap="xs" justify="space-between" wrap="nowrap" align="flex-start">
        <div>
          <Group gap={8}>
            <Text fw={600}>{name}</Text>
            {active && (
              <Badge size="sm" variant="light" tt="none">
                In use
              </Badge>
            )}
          </Group>
          <About upstream={upstream} alone={alone} />
        </div>
        <Group gap={4} wrap="nowrap">
          {!active && <Use upstream={upstream} disabled={fixed} />}
          {kind === 'service' && <More upstream={upstream} fixed={fixed} />}
        </Group>
      </Group>
      {active && kind === 'service' && <ReachFault />}
      {kind === 'service' && <ServiceKeyRow upstream={upstream} />}
    </Box>
  );
}

/** Says why the service in use cannot be reached, or that something else may answer in its place, as Home does. */
function ReachFault() {
  const { data } = useQuery(useCalls().status.get.queryOptions());
  if (data?.reach.state !== 'unreachable' && data?.reach.state !== 'doubtful') return null;
  const { sentence, at, state } = data.reach;
  return (
    <Text size="sm" mt="xs" c={`var(--gate-${state === 'doubtful' ? 'warn' : 'bad'})`}>
      {sentence} {at !== null && <RelativeTime at={at} />}
    </Text>
  );
}

function About({ upstream, alone }: { readonly upstream: Upstream; readonly alone: boolean }) {
  if (upstream.kind === 'sandbox') {
    return (
      <Text size="sm" c="dimmed">
        A simulated service on this machine: answers are made up and cost nothing. No key is needed.
        {alone && ' Add your service to get real answers.'}
      </Text>
    );
  }
  const { baseUrl, versionVendor, caFile, proxyUrl } = upstream;
  const more = [
    versionVendor === 'anthropic' ? '' : `Version header of ${versionVendor}.`,
    proxyUrl === null ? '' : `Through the proxy ${proxyUrl}.`,
    caFile === null ? '' : `Also trusts ${caFile}.`,
  ].filter((part) => part !== '');
  return (
    <>
      <Text size="xs" ff="monospace" mt={2}>
        {baseUrl}
      </Text>
      {more.length > 0 && (
        <Text size="xs" c="dimmed">
          {more.join(' ')}
        </Text>
      )}
    </>
  );
}

function Use({
  upstream: { id, name },
  disabled,
}: {
  readonly upstream: Upstream;
  readonly disabled: boolean;
}) {
  const use = useMutation(
    useCalls().upstreams.use.mutationOptions({
      onSuccess: () => toastSuccess(`New requests go to ${name}.`),
      onError: (error) => toastError(`Could not switch to ${name}.`, error),
    }),
  );
  return (
    <Button
      size="compact-sm"
      variant="default"
      disabled={disabled}
      loading={use.isPending}
      onClick={() => use.mutate({ id })}
      aria-label={`Use ${name}`}
    >
      Use
    </Button>
  );
}

function More({ upstream, fixed }: { readonly upstream: Upstream; readonly fixed: boolean }) {
  const { id, name, active } = upstream;
  const [editing, dialog] = useDisclosure(false);
  const [asking, question] = useDisclosure(false);
  const remove = useMutation(
    useCalls().upstreams.remove.mutationOptions({
      onSuccess: () => toastSuccess(`${name} and its key were removed.`),
      onError: (error) => toastError(`Could not remove ${name}.`, error),
      onSettled: question.close,
    }),
  );
  return (
    <>
      <Menu position="bottom-end" width={170}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`More for ${name}`}>
            <IconDots size={17} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={15} />} onClick={dialog.open}>
            Edit…
          </Menu.Item>
          <Menu.Item
            color="red"
            leftSection={<IconTrash size={15} />}
            onClick={question.open}
            disabled={active && fixed}
          >
            Remove…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <UpstreamDialog opened={editing} onClose={dialog.close} upstream={upstream} fixed={fixed} />
      <ConfirmDialog
        opened={asking}
        onClose={question.close}
        title={`Remove ${name}?`}
        action="Remove"
        busy={remove.isPending}
        onConfirm={() => remove.mutate({ id })}
      >
        Its service key is removed, too. Its history stays.
        {active &&
          ' It is in use: new requests will go to the sandbox, which makes up its answers.'}
      </ConfirmDialog>
    </>
  );
}
