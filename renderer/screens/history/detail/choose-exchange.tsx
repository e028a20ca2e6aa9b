import { Modal, Skeleton, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ExchangeId, ExchangeRecord } from '../../../../shared/exchange/exchange.ts';
import type { ExchangeSummary, HistoryFilter } from '../../../../shared/history/history.ts';
import { useCalls } from '../../../api/client.ts';
import { ErrorState } from '../../../components/states/error-state.tsx';
import { formatTimestamp } from '../../../format/format.ts';
import { routeLabel } from '../../../format/route.ts';
import classes from './choose-exchange.module.css';

interface ChooseExchangeProps {
  /** The exchange to compare with; others of its route are listed first. */
  readonly exchange: ExchangeRecord;
  readonly onChoose: (id: ExchangeId) => void;
  readonly onClose: () => void;
}

const LISTED = 20;
const PAUSE_MS = 200;
const MAX_TEXT_LENGTH = 200;

/** Asks for another exchange, with a search. */
export function ChooseExchange({ exchange, onChoose, onClose }: ChooseExchangeProps) {
  const [text, setText] = useState('');
  const [find] = useDebouncedValue(text.trim(), PAUSE_MS);
  return (
    <Modal opened onClose={onClose} title="Compare with another request" size={560}>
      <Stack gap="sm">
        <TextInput
          data-autofocus
          label="Search"
          placeholder="Client, model, conversation, error…"
          maxLength={MAX_TEXT_LENGTH}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Others exchange={exchange} find={find} onChoose={onChoose} />
      </Stack>
    </Modal>
  );
}

interface OthersProps extends Pick<ChooseExchangeProps, 'exchange' | 'onChoose'> {
  readonly find: string;
}

function Others({ exchange: { id, route }, find, onChoose }: OthersProps) {
  const text = find === '' ? {} : { text: find };
  const same = useLatest({ ...text, routes: [route] });
  const different = useLatest({ ...text, not: { routes: [route] } });
  const failed = [same, different].find(({ error }) => error !== null);
  if (failed !== undefined) {
    return (
      <ErrorState
        title="Could not load requests."
        error={failed.error}
        onRetry={() => void failed.refetch()}
      />
    );
  }
  if (same.data === undefined || different.data === undefined) return <Skeleton h={200} />;
  const others = same.data.exchanges.filter((other) => other.id !== id).slice(0, LISTED);
  const all = [...others, ...different.data.exchanges.slice(0, LISTED)];
  if (all.length === 0) return <Text size="sm">There is no other such request.</Text>;
  return (
    <ul className={classes['list']} aria-label="Requests">
      {all.map((other) => (
        <li key={other.id}>
          <UnstyledButton className={classes['other'] ?? ''} onClick={() => onChoose(other.id)}>
            <Text size="sm" component="span" data-figures>
              {formatTimestamp(other.startedAt)}, {other.status ?? 'no answer'}
            </Text>
            <Text size="xs" c="dimmed" component="span">
              {describe(other)}
            </Text>
            <Asked id={other.id} />
          </UnstyledButton>
        </li>
      ))}
    </ul>
  );
}

/** Loads the latest exchanges that a filter selects. */
function useLatest(filter: HistoryFilter) {
  return useQuery(useCalls().history.page.queryOptions({ input: { filter, limit: LISTED + 1 } }));
}

/** Shows what a request asked: the beginning of its newest text of the user, or of the task that it continues. */
function Asked({ id }: { readonly id: ExchangeId }) {
  const { data: place } = useQuery(useCalls().history.step.queryOptions({ input: { id } }));
  if (place === undefined || place === null || place.step.id !== id) return null;
  const asked = place.step.prompt ?? place.title;
  return asked === '' ? null : (
    <Text size="xs" component="span" className={classes['asked'] ?? ''}>
      {asked}
    </Text>
  );
}

function describe({ route, clientName, modelSent, modelAsked }: ExchangeSummary): string {
  const model = modelSent ?? modelAsked ?? 'no model';
  return [routeLabel(route), clientName ?? 'unknown client', model].join(', ');
}
