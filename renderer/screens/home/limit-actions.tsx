import { Button, Modal, Text } from '@mantine/core';
import { type FunctionComponent, lazy, Suspense } from 'react';
import { describeLimitPeriod, formatLimitAmount } from '../../../shared/money/describe-limit.ts';
import type { LimitException } from '../../../shared/money/limit.ts';
import type { Attention } from '../../../shared/history/history.ts';
import { useNow } from '../../hooks/use-now.ts';
import { useAllowLimit } from '../../hooks/use-allow-limit.ts';
import type { LimitDialogProps } from '../../components/limit-dialog/limit-dialog.tsx';

export type LimitAttention = Extract<Attention, { kind: 'limit' }>;

interface LimitActionsProps {
  readonly attention: LimitAttention;
  readonly onRaise: (attention: LimitAttention) => void;
}

/** The decisions about a limit that is used: it is raised, or it lets something pass. Dismissed, it stays as it is. */
export function LimitActions({ attention, onRaise }: LimitActionsProps) {
  return (
    <>
      {attention.percent === 100 && <AllowMore attention={attention} />}
      <Button size="compact-sm" variant="default" onClick={() => onRaise(attention)}>
        Raise…
      </Button>
    </>
  );
}

/** Buttons that let pass what a limit refuses, or end that. */
function AllowMore({ attention: { limit, currency } }: Pick<LimitActionsProps, 'attention'>) {
  const { id, amount, measure, suspended } = limit;
  const now = useNow();
  const text = `${formatLimitAmount(amount, measure, currency)} ${describeLimitPeriod(limit)}`;
  const { allow, isPending } = useAllowLimit(text);
  const isSuspended = suspended !== null && now < suspended.until;
  return (isSuspended ? END : OFFERS).map(([exception, label]) => (
    <Button
      key={exception}
      size="compact-sm"
      variant="default"
      loading={isPending}
      onClick={() => allow(id, exception)}
    >
      {label}
    </Button>
  ));
}

type Offer = readonly [exception: LimitException, label: string];
const END: readonly Offer[] = [['none', 'Allow nothing more']];
const OFFERS: readonly Offer[] = [
  ['once', 'Allow one request'],
  ['hour', 'Allow an hour'],
];

// Most visits to Home do not need it. A page that is older than the running Gatehouse cannot load it any more.
const LimitDialog = lazy(async (): Promise<{ default: FunctionComponent<LimitDialogProps> }> => {
  try {
    return {
      default: (await import('../../components/limit-dialog/limit-dialog.tsx')).LimitDialog,
    };
  } catch {
    return { default: NotLoaded };
  }
});

interface RaiseLimitProps {
  readonly attention: LimitAttention;
  readonly onClose: () => void;
}

/** Changes the amount of a limit. */
export function RaiseLimit({ attention: { limit, currency }, onClose }: RaiseLimitProps) {
  const { clientId, clientName } = limit;
  return (
    <Suspense fallback={null}>
      <LimitDialog
        clientId={clientId}
        name={clientName ?? 'all clients'}
        currency={currency}
        before={limit}
        onClose={onClose}
      />
    </Suspense>
  );
}

function NotLoaded({ name, onClose }: LimitDialogProps) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={`Limit of ${name}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Text size="sm">This dialog could not be loaded. Reload the page.</Text>
    </Modal>
  );
}
