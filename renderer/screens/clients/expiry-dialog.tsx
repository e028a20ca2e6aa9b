import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ClientSummary, Expiry } from '../../../shared/client.ts';
import { useCalls } from '../../api/client.ts';
import { findRemainingExpiry } from '../../client-setup/expiry.ts';
import { ExpirySelect } from '../../client-setup/expiry-select.tsx';
import { toastError } from '../../hooks/toast.ts';

interface ExpiryDialogProps {
  readonly client: ClientSummary;
  readonly onClose: () => void;
}

/** Changes when the local key of a client expires. */
export function ExpiryDialog({ client, onClose }: ExpiryDialogProps) {
  const calls = useCalls();
  const queries = useQueryClient();
  const [current] = useState(() => findRemainingExpiry(client, Date.now()));
  const [expiresAt, setExpiresAt] = useState<Expiry | undefined>(current);
  const save = useMutation(
    calls.clients.setExpiry.mutationOptions({
      onSuccess: () => {
        onClose();
        return queries.invalidateQueries({ queryKey: calls.clients.key() });
      },
      onError: (error) => toastError(`Could not change the expiry of “${client.name}”.`, error),
    }),
  );
  return (
    <Modal
      opened
      onClose={onClose}
      title={`Expiry of ${client.name}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          The local key stays the same, so the program needs no change.
          {client.expired && ' It works again as soon as you save.'}
        </Text>
        <ExpirySelect current={current} onChange={setExpiresAt} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            loading={save.isPending}
            onClick={() => expiresAt !== undefined && save.mutate({ id: client.id, expiresAt })}
          >
            Save
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
