import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { BodiesSize } from '../../../../shared/exchange/body.ts';
import { formatBytes, pluralize } from '../../../../shared/format.ts';
import { useCalls } from '../../../api/client.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { toastError, toastSuccess } from '../../../hooks/toast.ts';
import { Row } from '../setting-row.tsx';

/** Shows the size of the stored requests and responses, and deletes them. */
export function StoredBodies() {
  const calls = useCalls();
  const queries = useQueryClient();
  const [asking, question] = useDisclosure(false);
  const { data } = useQuery(calls.history.bodiesSize.queryOptions({ staleTime: 0 }));
  const erase = useMutation(
    calls.history.eraseBodies.mutationOptions({
      onSuccess: () => {
        question.close();
        toastSuccess('The stored requests and responses are deleted.');
        void queries.invalidateQueries();
      },
      onError: (error) => toastError('Could not delete the requests and responses.', error),
    }),
  );
  return (
    <Row label="Stored requests and responses" about={describeSize(data)} small>
      <Button
        color="red"
        variant="light"
        aria-label="Delete all requests and responses"
        onClick={question.open}
      >
        Delete all…
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={question.close}
        title="Delete all requests and responses?"
        action="Delete all"
        busy={erase.isPending}
        onConfirm={() => erase.mutate(undefined)}
      >
        This deletes the stored requests and responses of all exchanges, of pinned ones too. The
        exchanges stay, with their headers, tokens, times and marks. This cannot be undone.
      </ConfirmDialog>
    </Row>
  );
}

/** Describes the size on the disk and the size as sent, which is larger because equal parts are stored once. */
function describeSize(size: BodiesSize | undefined): string {
  if (size === undefined) return '';
  const { exchanges, plain, stored } = size;
  if (exchanges === 0) return 'None are stored now.';
  const factor =
    stored > 0 && plain > stored ? `, ${(plain / stored).toFixed(1)} times as much` : '';
  return `${pluralize(exchanges, 'exchange')}, ${formatBytes(stored)} on disk, ${formatBytes(plain)} as sent${factor}.`;
}
