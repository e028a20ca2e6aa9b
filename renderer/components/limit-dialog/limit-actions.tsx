import { Button, Modal, Text } from '@mantine/core';
import { type FunctionComponent, lazy, Suspense } from 'react';
import { describeLimitPeriod, formatLimitAmount } from '../../../shared/money/describe-limit.ts';
import type { LimitException, LimitState } from '../../../shared/money/limit.ts';
import { useNow } from '../../hooks/use-now.ts';
import { useAllowLimit } from '../../hooks/use-allow-limit.ts';
import { useCurrency } from '../../hooks/use-currency.ts';
import type { LimitDialogProps } from './limit-dialog.tsx';

/** The words for what a limit can let pass, and for the end of that. */
export const LIMIT_ACTIONS: Readonly<Record<LimitException, string>> = {
  once: 'Allow one more request',
  hour: 'Allow all for an hour',
  none: 'Apply the limit again',
};

/** The limit in the address of a client that opens the dialog for a new one. */
export const NEW_LIMIT = 'new';

/** Returns the search of the clients screen that shows a limit. */
export function toLimitSearch({ id, clientId }: Pick<LimitState, 'id' | 'clientId'>) {
  return { client: clientId ?? undefined, limit: id };
}

interface LimitActionsProps {
  readonly limit: LimitState;
  /** Whether it refuses requests now. */
  readonly isReached: boolean;
  readonly onRaise: () => void;
}

/** The decisions about a limit that is used: it is raised, or it lets something pass. */
export function LimitActions({ limit, isReached, onRaise }: LimitActionsProps) {
  return (
    <>
      {isReached && <AllowMore limit={limit} />}
      <Button size="compact-sm" variant="default" onClick={onRaise}>
        Raise…
      </Button>
    </>
  );
}

/** Buttons that let pass what a limit refuses, or end that. */
function AllowMore({ limit }: Pick<LimitActionsProps, 'limit'>) {
  const { id, amount, measure, suspended } = limit;
  const currency = useCurrency();
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
const END: readonly Offer[] = [['none', LIMIT_ACTIONS.none]];
const OFFERS: readonly Offer[] = [
  ['once', LIMIT_ACTIONS.once],
  ['hour', LIMIT_ACTIONS.hour],
];

// Most visits to Home do not need it. A page that is older than the running Gatehouse cannot load it any more.
const LimitDialog = lazy(async (): Promise<{ default: FunctionComponent<LimitDialogProps> }> => {
  try {
    return {
      default: (await import('./limit-dialog.tsx')).LimitDialog,
    };
  } catch {
    return { default: NotLoaded };
  }
});

interface RaiseLimitProps {
  readonly limit: LimitState;
  readonly onClose: () => void;
}

/** Changes the amount of a limit, at first to one that lets pass what it refused last. */
export function RaiseLimit({ limit, onClose }: RaiseLimitProps) {
  const { clientId, clientName } = limit;
  return (
    <Suspense fallback={null}>
      <LimitDialog
        clientId={clientId}
        name={clientName ?? 'all clients'}
        currency={useCurrency()}
        before={limit}
        isRaised
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
