import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { formatCount } from '../../../../../shared/format.ts';
import type { ExchangeDetail } from '../../../../../shared/history/history.ts';
import { useCalls } from '../../../../api/client.ts';
import { ConfirmDialog } from '../../../../components/confirm-dialog.tsx';
import { toastError, toastSuccess } from '../../../../hooks/toast.ts';

interface DeleteExchangeProps {
  readonly detail: ExchangeDetail;
  readonly onDeleted: () => void;
}

/** Deletes an exchange after a confirmation. */
export function DeleteExchange({ detail, onDeleted }: DeleteExchangeProps) {
  const { exchange, mark } = detail;
  const [isAsking, question] = useDisclosure(false);
  const remove = useMutation(
    useCalls().history.delete.mutationOptions({
      onSuccess: () => {
        question.close();
        toastSuccess('The request was deleted.');
        onDeleted();
      },
      onError: (error) => {
        question.close();
        toastError('Could not delete this request.', error);
      },
    }),
  );
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconTrash size={14} aria-hidden />}
        onClick={question.open}
      >
        Delete
      </Button>
      <ConfirmDialog
        opened={isAsking}
        onClose={question.close}
        title="Delete this request?"
        action="Delete"
        busy={remove.isPending}
        onConfirm={() => remove.mutate({ id: exchange.id })}
      >
        {mark?.pinned === true && 'It is pinned. '}
        {exchange.times > 1 && `It stands for ${formatCount(exchange.times)} identical requests. `}
        This deletes it with its response, headers, note and tags, and takes it out of the totals.
        This cannot be undone.
      </ConfirmDialog>
    </>
  );
}
