import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPin, IconPinFilled, IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { pluralize } from '../../../shared/format.ts';
import type { RunSummary } from '../../../shared/run/run.ts';
import { useCalls } from '../../api/client.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { toastError, toastSuccess } from '../../hooks/toast.ts';

/** Pins and deletes all requests of a run. */
export function RunMarks({ run }: { readonly run: RunSummary }) {
  return (
    <>
      <PinRun run={run} />
      <DeleteRun run={run} />
    </>
  );
}

function PinRun({ run: { id, pinned, steps } }: { readonly run: RunSummary }) {
  const isPinned = pinned === steps;
  const pin = useMutation(
    useCalls().history.pinRun.mutationOptions({
      onSuccess: (exchanges) =>
        toastSuccess(`${pluralize(exchanges, 'request')} ${isPinned ? 'unpinned' : 'pinned'}.`),
      onError: (error) => toastError('Could not change the pins.', error),
    }),
  );
  const Icon = isPinned ? IconPinFilled : IconPin;
  return (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={<Icon size={14} aria-hidden />}
      disabled={pin.isPending}
      onClick={() => pin.mutate({ id, pinned: !isPinned })}
    >
      {isPinned ? 'Unpin' : 'Pin'}
    </Button>
  );
}

function DeleteRun({ run: { id, pinned, steps } }: { readonly run: RunSummary }) {
  const navigate = useNavigate({ from: '/history/runs' });
  const [isAsking, question] = useDisclosure(false);
  const remove = useMutation(
    useCalls().history.deleteRun.mutationOptions({
      onSuccess: (exchanges) => {
        question.close();
        toastSuccess(`${pluralize(exchanges, 'request')} deleted.`);
        void navigate({ search: (before) => ({ ...before, run: undefined }), replace: true });
      },
      onError: (error) => {
        question.close();
        toastError('Could not delete this run.', error);
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
        title="Delete this run?"
        action={`Delete ${pluralize(steps, 'request')}`}
        busy={remove.isPending}
        onConfirm={() => remove.mutate({ id })}
      >
        {pinned > 0 && `${pluralize(pinned, 'of its requests is', 'of its requests are')} pinned. `}
        This deletes all its requests with their responses, headers, notes and tags, and takes them
        out of the totals. This cannot be undone.
      </ConfirmDialog>
    </>
  );
}
