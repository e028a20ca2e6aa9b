import { Stack } from '@mantine/core';
import { IconServer } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Upstream } from '../../shared/upstream.ts';
import { useCalls } from '../api/client.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { TestResultMessage } from '../components/test-result.tsx';
import { toastError, toastSuccess } from '../hooks/toast.ts';
import { useConnectionTest } from '../hooks/use-connection-test.ts';
import { ICON } from './icon.ts';
import type { PaletteAction } from './rank-actions.ts';

interface ServiceSwitch {
  readonly actions: PaletteAction[];
  readonly dialog: ReactNode;
}

/** Returns an action for each service that is not in use, and the dialog that asks before the switch. */
export function useServiceSwitch(): ServiceSwitch {
  const { data = [] } = useQuery(useCalls().upstreams.list.queryOptions());
  const [wanted, setWanted] = useState<Upstream | null>(null);
  const [isAsking, setAsking] = useState(false);
  const check = useConnectionTest();
  const ask = (upstream: Upstream): void => {
    setWanted(upstream);
    setAsking(true);
    check.reset();
    const { name, baseUrl, versionVendor, caFile, proxyUrl, kind } = upstream;
    const form = { name, baseUrl, versionVendor, caFile, proxyUrl };
    if (kind === 'service') check.mutate({ form, key: null });
  };
  const actions = data
    .filter(({ active }) => !active)
    .map((upstream) => ({
      id: `use-${upstream.id}`,
      label: `Use ${upstream.name}`,
      description: upstream.kind === 'sandbox' ? 'Built in; nothing is charged' : upstream.baseUrl,
      keywords: ['service', 'switch', upstream.kind],
      leftSection: <IconServer {...ICON} />,
      onClick: () => ask(upstream),
    }));
  const dialog = wanted !== null && (
    <SwitchDialog
      upstream={wanted}
      current={data.find(({ active }) => active)?.name}
      check={check}
      opened={isAsking}
      onClose={() => setAsking(false)}
    />
  );
  return { actions, dialog };
}

interface SwitchDialogProps {
  readonly upstream: Upstream;
  /** Name of the service in use. */
  readonly current: string | undefined;
  readonly check: Pick<ReturnType<typeof useConnectionTest>, 'data' | 'error'>;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Asks before every client is switched to another service. Says whether that service answers, once this is known. */
function SwitchDialog({ upstream, current, check, opened, onClose }: SwitchDialogProps) {
  const { id, name, kind } = upstream;
  const use = useMutation(
    useCalls().upstreams.use.mutationOptions({
      onSuccess: () => toastSuccess(`New requests go to ${name}.`),
      onError: (error) => toastError(`Could not switch to ${name}.`, error),
      onSettled: onClose,
    }),
  );
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={`Send all requests to ${name}?`}
      action={`Use ${name}`}
      harmless
      busy={use.isPending}
      onConfirm={() => use.mutate({ id })}
    >
      <Stack gap="sm">
        <div>
          The requests of every client go there from now on
          {kind === 'sandbox' && ', where answers are made up'}. Those in progress finish
          {current === undefined ? '' : ` with ${current}`}.
        </div>
        <TestResultMessage verdict={check.data} error={check.error} />
      </Stack>
    </ConfirmDialog>
  );
}
