import { Alert, Button, Skeleton, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconLock, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useCalls } from '../../../api/client.ts';
import { ErrorState } from '../../../components/states/error-state.tsx';
import { Panel } from '../../../components/panel.tsx';
import { UpstreamCard } from './upstream-card.tsx';
import { UpstreamDialog } from './upstream-dialog.tsx';

/** Lists the services and their keys. `pinned`: why another service cannot be selected now. */
export function Upstreams({ pinned }: { readonly pinned: string | undefined }) {
  const upstreams = useQuery(useCalls().upstreams.list.queryOptions());
  const [adding, dialog] = useDisclosure(false);
  return (
    <Panel
      title="Services"
      aside={
        <Button size="compact-sm" leftSection={<IconPlus size={15} />} onClick={dialog.open}>
          Add a service
        </Button>
      }
    >
      <Text size="sm" c="dimmed" mb="sm">
        Client requests are sent to the selected service. Requests in progress finish on the
        previous one.
      </Text>
      {pinned !== undefined && (
        <Alert icon={<IconLock />} color="gray" mb="sm">
          {pinned}
        </Alert>
      )}
      {upstreams.isError && upstreams.data === undefined ? (
        <ErrorState
          title="Could not load the services."
          error={upstreams.error}
          onRetry={() => void upstreams.refetch()}
        />
      ) : upstreams.data === undefined ? (
        <Skeleton h={96} />
      ) : (
        <Stack component="ul" gap="xs" m={0} p={0}>
          {upstreams.data.map((upstream) => (
            <UpstreamCard
              key={upstream.id}
              upstream={upstream}
              fixed={pinned !== undefined}
              alone={upstreams.data.length === 1}
            />
          ))}
        </Stack>
      )}
      <UpstreamDialog
        opened={adding}
        onClose={dialog.close}
        upstream={null}
        fixed={pinned !== undefined}
      />
    </Panel>
  );
}
