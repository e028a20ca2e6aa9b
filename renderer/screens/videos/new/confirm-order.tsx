import { useQuery } from '@tanstack/react-query';
import { isFree } from '../../../../shared/money/charge.ts';
import { useCalls } from '../../../api/client.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { pluralize } from '../../../../shared/format.ts';
import type { UpstreamId } from '../../../../shared/upstream.ts';
import { OrderSummary } from '../order-summary.tsx';
import { toNewVideo, type VideoForm } from './form.ts';

interface ConfirmOrderProps {
  readonly opened: boolean;
  /** Number of videos to order. */
  readonly count: number;
  /** The valid values of the form. */
  readonly values: VideoForm;
  readonly busy: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks for confirmation of an order, and says what it asks for: one submission is one charge. */
export function ConfirmOrder({ count, values, ...confirm }: ConfirmOrderProps) {
  const { data: status } = useQuery(useCalls().status.get.queryOptions());
  const { data: effectiveSettings } = useQuery(useCalls().settings.get.queryOptions());
  const atOnce = effectiveSettings?.settings.videosAtOnce;
  const isSandbox = status !== undefined && isFree(status.upstream.id);
  const videos = count === 1 ? 'this video' : pluralize(count, 'video');
  return (
    <ConfirmDialog
      {...confirm}
      harmless
      title={`Order ${videos}?`}
      action={`Order ${pluralize(count, 'video')} (${isSandbox ? 'no charge' : pluralize(count, 'charge')})`}
    >
      {isSandbox
        ? 'The sandbox is in use: the video is made up and costs nothing.'
        : describeCharges(count)}
      {' An order cannot be undone.'}
      {!isSandbox && status !== undefined && ` The orders go to ${status.upstream.name}.`}
      {count > 1 && atOnce !== undefined && ` At most ${atOnce} run at the same time.`}
      {status !== undefined && <FormSummary values={values} service={status.upstream.id} />}
    </ConfirmDialog>
  );
}

interface FormSummaryProps {
  readonly values: VideoForm;
  readonly service: UpstreamId;
}

/** Rendered only in the open dialog, before which the values were validated. */
function FormSummary({ values, service }: FormSummaryProps) {
  return <OrderSummary request={toNewVideo(values, null)} service={service} />;
}

function describeCharges(count: number): string {
  return count === 1
    ? 'One order is one charge.'
    : `One order is one charge: ${pluralize(count, 'video')} are ${pluralize(count, 'charge')}.`;
}
