import { useQuery } from '@tanstack/react-query';
import { SANDBOX_ID } from '../../../../shared/upstream.ts';
import { useCalls } from '../../../api/client.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { pluralize } from '../../../../shared/format.ts';

interface ConfirmOrderProps {
  readonly opened: boolean;
  /** Number of videos to order. */
  readonly count: number;
  readonly busy: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks for confirmation of an order: one submission is one charge. */
export function ConfirmOrder({ count, ...confirm }: ConfirmOrderProps) {
  const { data: status } = useQuery(useCalls().status.get.queryOptions());
  const { data: inForce } = useQuery(useCalls().settings.get.queryOptions());
  const atOnce = inForce?.settings.videosAtOnce;
  const videos = count === 1 ? 'this video' : pluralize(count, 'video');
  return (
    <ConfirmDialog
      {...confirm}
      harmless
      title={`Make ${videos}?`}
      action={count === 1 ? 'Make it: 1 charge' : `Make them: ${pluralize(count, 'charge')}`}
    >
      One order is one charge
      {count > 1 && `: ${pluralize(count, 'video')} are ${pluralize(count, 'charge')}`}. A
      submission cannot be taken back.
      {status?.upstream.id === SANDBOX_ID
        ? ' The sandbox is in use: it makes up a video, counts the charge, and nobody pays.'
        : status !== undefined && ` The orders go to ${status.upstream.name}.`}
      {count > 1 && atOnce !== undefined && ` At most ${atOnce} run at the same time.`}
    </ConfirmDialog>
  );
}
