import { Code, Loader, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ExchangeId } from '../../../shared/exchange.ts';
import type { ExchangeSummary } from '../../../shared/history.ts';
import { useCalls } from '../../client/client.ts';
import { Advice } from '../../parts/advice.tsx';
import { durationText } from '../../parts/figures.ts';
import { routeWords } from '../../parts/route-words.ts';
import { ScreenLink } from '../../parts/screen-link.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Tokens } from '../../parts/tokens.tsx';
import classes from './welcome.module.css';

/** Waits, and then shows the request that arrived: what was seen of it and what was repaired. */
export function Arrived({ exchange }: { readonly exchange: ExchangeSummary | undefined }) {
  return (
    <Stack gap="sm">
      <div role="status">
        <Said exchange={exchange} />
      </div>
      {exchange !== undefined && (
        <>
          <Facts exchange={exchange} />
          {exchange.repairs.length > 0 && <Repairs id={exchange.id} />}
        </>
      )}
    </Stack>
  );
}

function Said({ exchange }: { readonly exchange: ExchangeSummary | undefined }) {
  if (exchange === undefined) {
    return (
      <div className={classes['waiting']}>
        <Loader size="sm" type="dots" aria-hidden />
        <Text size="sm">Waiting for the first request…</Text>
      </div>
    );
  }
  if (exchange.status !== null && exchange.status < 400) {
    return (
      <div className={classes['waiting']} data-arrived="worked">
        <IconCircleCheck size={22} color="var(--gate-good)" aria-hidden />
        <Text size="sm">
          <strong>It arrived.</strong> A request of {exchange.clientName ?? 'a client'} went through
          Gatehouse and was answered.
        </Text>
      </div>
    );
  }
  return (
    <div className={classes['waiting']} data-arrived="failed">
      <IconAlertTriangle size={22} color="var(--gate-warn)" aria-hidden />
      <Text size="sm">
        <strong>It arrived, but failed.</strong> {whyFailed(exchange)}
      </Text>
    </div>
  );
}

function whyFailed({ status, clientName }: ExchangeSummary): string {
  if (clientName === null) {
    return 'Its key is not one of the local keys. Enter the local key of this client, and send it again.';
  }
  if (status === null) return 'The program left before it had an answer. Send another.';
  return 'The program is connected; the request was not accepted. Its details say why. Waiting for one that works…';
}

function Facts({ exchange }: { readonly exchange: ExchangeSummary }) {
  return (
    <dl className={classes['facts']}>
      <dt>Client</dt>
      <dd>{exchange.clientName ?? 'unknown'}</dd>
      <dt>Asked</dt>
      <dd>
        {routeWords(exchange.route)}, <Code>{exchange.pathReceived}</Code>
      </dd>
      <dt>Model</dt>
      <dd>{exchange.modelSent ?? exchange.modelAsked ?? 'none named'}</dd>
      <dt>Status</dt>
      <dd>
        <StatusBadge exchange={exchange} withWords />
      </dd>
      <dt>Tokens</dt>
      <dd>
        <Tokens usage={exchange.usage} />
      </dd>
      <dt>Took</dt>
      <dd data-figures>{durationText(exchange.durationMs)}</dd>
      <dt>Details</dt>
      <dd>
        <ScreenLink to="/history" search={{ exchange: exchange.id }} size="sm">
          Open in History
        </ScreenLink>
      </dd>
    </dl>
  );
}

function Repairs({ id }: { readonly id: ExchangeId }) {
  const { data } = useQuery(useCalls().history.get.queryOptions({ input: { id } }));
  return data?.exchange.repairs.map((repair) => (
    <Advice key={repair.code} repair={repair} clientName={data.exchange.clientName} />
  ));
}
