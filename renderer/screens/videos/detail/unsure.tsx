import { Alert, Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertTriangle } from '@tabler/icons-react';
import { isFree, NO_CHARGE } from '../../../../shared/money/charge.ts';
import type { VideoJob } from '../../../../shared/video/video.ts';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { OrderSummary } from '../order-summary.tsx';
import { useVideoAction } from '../use-video-action.ts';
import { IdDialog } from './id-dialog.tsx';

/** Explains an order with an unknown outcome: what happened, what it may cost, and how to resolve it. */
export function UnsureOrder({ job }: { readonly job: VideoJob }) {
  const { act, doing } = useVideoAction(job.id);
  const isSandbox = isFree(job.service.id);
  const [asking, question] = useDisclosure(false);
  const [naming, dialog] = useDisclosure(false);
  return (
    <Alert color="orange" icon={<IconAlertTriangle />} title="Order status unknown">
      <Text size="sm">
        The order was sent
        {job.submittedAt !== null && (
          <>
            {' '}
            <RelativeTime at={job.submittedAt} />
          </>
        )}
        . {job.problem ?? 'No answer came back.'}
      </Text>
      <Text size="sm" mt={6}>
        {describeFirstOrder(isSandbox)}
      </Text>
      <Text size="sm" mt={6}>
        The web console of the service shows whether there is such a task. If it does, paste its id
        here: that costs nothing.
        {job.origin === 'client' &&
          ' Only the client that sent this order can send another, with the header x-gatehouse-allow-duplicate: 1.'}
      </Text>
      <Group gap="xs" mt="sm">
        <Button size="xs" onClick={dialog.open}>
          Enter its id…
        </Button>
        {job.origin !== 'client' && (
          <Button size="xs" variant="default" onClick={question.open}>
            Send again ({isSandbox ? 'no charge' : 'may be charged twice'})…
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          loading={doing === 'cancel'}
          onClick={() => act({ type: 'cancel' })}
        >
          Give up
        </Button>
      </Group>
      <IdDialog opened={naming} onClose={dialog.close} job={job} />
      <ConfirmDialog
        opened={asking}
        onClose={question.close}
        title="Order it once more?"
        action="Send again"
        busy={doing === 'submit-again'}
        onConfirm={() => act({ type: 'submit-again' }, question.close)}
      >
        {describeSecondOrder(isSandbox)} There is no way to tell from here; the web console of the
        service shows it.
        <OrderSummary request={job.request} service={job.service.id} />
      </ConfirmDialog>
    </Alert>
  );
}

function describeFirstOrder(isSandbox: boolean): string {
  return isSandbox
    ? 'The sandbox may have taken it, or it never arrived. Gatehouse does not send it again automatically.'
    : 'The service may have taken it and charged for it, or it never arrived. Gatehouse does not send it again automatically, because that may be charged twice.';
}

function describeSecondOrder(isSandbox: boolean): string {
  return isSandbox
    ? `If the first order did arrive, there are two videos, and one of them is here: ${NO_CHARGE}.`
    : 'If the first order did arrive, you pay for two videos and see one of them here. If it did not, you pay for one.';
}
