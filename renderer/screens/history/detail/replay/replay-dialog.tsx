import { Modal, Skeleton, Text } from '@mantine/core';
import { useMemo } from 'react';
import type { ExchangeBodies } from '../../../../../shared/exchange/body.ts';
import type { ExchangeDetail } from '../../../../../shared/history/history.ts';
import { toReplayable } from '../../../../../shared/replay.ts';
import { ErrorState } from '../../../../components/states/error-state.tsx';
import { useRestoreFocus } from '../../../../hooks/keyboard/open-dialog.ts';
import { useBodies } from '../bodies/use-bodies.ts';
import { ReplayForm } from './replay-form.tsx';

interface ReplayDialogProps {
  readonly detail: ExchangeDetail;
  readonly onClose: () => void;
}

/** Sends a stored request again, changed or not, and shows the answers beside the first one. A click outside does not close it, because edits would be lost. */
export function ReplayDialog({ detail, onClose }: ReplayDialogProps) {
  useRestoreFocus();
  const { bodies, error, refetch } = useBodies(detail.exchange.id, false);
  return (
    <Modal
      opened
      onClose={onClose}
      title="Send again"
      size="min(1280px, 95vw)"
      closeOnClickOutside={false}
    >
      {error !== null ? (
        <ErrorState title="Could not load this request." error={error} onRetry={refetch} />
      ) : bodies === null ? (
        <Skeleton h={320} />
      ) : (
        <Content detail={detail} bodies={bodies} />
      )}
    </Modal>
  );
}

interface ContentProps {
  readonly detail: ExchangeDetail;
  readonly bodies: ExchangeBodies;
}

function Content({ detail, bodies }: ContentProps) {
  const { request, reason } = useMemo(() => toReplayable(detail, bodies), [detail, bodies]);
  if (request === null) {
    return <Text size="sm">This request cannot be sent again. {reason}</Text>;
  }
  return <ReplayForm request={request} exchange={detail.exchange} first={bodies.returned} />;
}
