import { Button } from '@mantine/core';
import { IconPin, IconPinFilled } from '@tabler/icons-react';
import type { ExchangeId } from '../../../../../shared/exchange/exchange.ts';
import { toastError } from '../../../../hooks/toast.ts';
import { useChangeMark } from './use-change-mark.ts';

/** Pins an exchange, or unpins it. */
export function PinButton({ id, pinned }: { readonly id: ExchangeId; readonly pinned: boolean }) {
  const change = useChangeMark(id);
  const Icon = pinned ? IconPinFilled : IconPin;
  return (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={<Icon size={14} aria-hidden />}
      title={pinned ? 'It is kept, however old it gets' : 'Keep it, however old it gets'}
      disabled={change.isPending}
      onClick={() =>
        change.mutate(
          { id, change: { pinned: !pinned } },
          { onError: (error) => toastError('Could not change the pin.', error) },
        )
      }
    >
      {pinned ? 'Unpin' : 'Pin'}
    </Button>
  );
}
