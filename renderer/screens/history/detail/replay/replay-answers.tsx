import { Group, Loader, Stack, Text } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import type { StoredBody } from '../../../../../shared/exchange/body.ts';
import type { TextProtocol } from '../../../../../shared/chat/chat.ts';
import type { ExchangeRecord } from '../../../../../shared/exchange/exchange.ts';
import { formatCount, formatDuration } from '../../../../../shared/format.ts';
import { describeCost } from '../../../../../shared/money/describe-cost.ts';
import { assembleResponse } from '../../../../../shared/parse-bodies/assemble-response.ts';
import { ScreenLink } from '../../../../components/screen-link.tsx';
import { useCurrency } from '../../../../hooks/use-currency.ts';
import { PlainText } from '../bodies/long-text.tsx';
import { ResponseText } from '../bodies/response-text.tsx';
import classes from './replay.module.css';
import type { Attempt } from './use-replay.ts';

interface ReplayAnswersProps {
  readonly protocol: TextProtocol;
  readonly exchange: ExchangeRecord;
  readonly first: StoredBody | null;
  readonly attempts: readonly Attempt[];
}

/** Shows the answers of the models beside the first one. */
export function ReplayAnswers({ protocol, exchange, first, attempts }: ReplayAnswersProps) {
  // Following a link would end what is running.
  const isLinked = attempts.every(({ state }) => state !== 'running');
  return (
    <div className={classes['answers']}>
      <Column title="First answer" exchange={exchange}>
        {first === null ? (
          <Note>No body was returned, or it is not stored.</Note>
        ) : (
          <Answer protocol={protocol} body={first} hasGap={first.omitted !== null} />
        )}
      </Column>
      {attempts.map((attempt, place) => (
        <Column
          key={place}
          title={attempt.model}
          exchange={attempt.state === 'ended' ? attempt.response.exchange : null}
        >
          <AttemptView protocol={protocol} attempt={attempt} />
          {attempt.state === 'ended' && attempt.response.id !== null && isLinked && (
            <Group gap="sm">
              <ScreenLink size="sm" to="/history" search={{ exchange: attempt.response.id }}>
                Open
              </ScreenLink>
              <ScreenLink
                size="sm"
                to="/history/compare"
                search={{ left: exchange.id, right: attempt.response.id }}
              >
                Compare with the first
              </ScreenLink>
            </Group>
          )}
        </Column>
      ))}
    </div>
  );
}

interface ColumnProps {
  readonly title: string;
  readonly exchange: ExchangeRecord | null;
  readonly children: ReactNode;
}

function Column({ title, exchange, children }: ColumnProps) {
  const currency = useCurrency();
  return (
    <Stack gap={6} component="section" aria-label={title} className={classes['answer'] ?? ''}>
      <Text size="sm" fw={600} className={classes['title'] ?? ''}>
        {title}
      </Text>
      {exchange !== null && (
        <Text size="xs" c="dimmed" data-figures>
          {describeExchange(exchange, currency)}
        </Text>
      )}
      {children}
    </Stack>
  );
}

function describeExchange(exchange: ExchangeRecord, currency: string): string {
  const { modelSent, status, durationMs, usage, service } = exchange;
  const cost = describeCost(exchange.cost, { currency, service });
  return [
    modelSent ?? 'unknown model',
    String(status ?? 'no status'),
    formatDuration(durationMs),
    ...(usage.input === null ? [] : [`${formatCount(usage.input)} tokens in`]),
    ...(usage.output === null ? [] : [`${formatCount(usage.output)} out`]),
    ...(cost === null ? [] : [cost]),
  ].join(' · ');
}

interface AttemptViewProps {
  readonly protocol: TextProtocol;
  readonly attempt: Attempt;
}

function AttemptView({ protocol, attempt }: AttemptViewProps) {
  switch (attempt.state) {
    case 'running':
      return (
        <Group gap="xs" role="status">
          <Loader size="xs" />
          <Note>Waiting for the answer…</Note>
        </Group>
      );
    case 'failed':
      return <Note>{attempt.reason ?? 'Cancelled.'}</Note>;
    case 'ended':
      return <Answer protocol={protocol} body={attempt.response} hasGap={false} />;
  }
}

interface AnswerProps {
  readonly protocol: TextProtocol;
  readonly body: Pick<StoredBody, 'text' | 'contentType'>;
  readonly hasGap: boolean;
}

function Answer({ protocol, body: { text, contentType }, hasGap }: AnswerProps) {
  const response = useMemo(
    () => assembleResponse(protocol, { text, contentType, omitted: null }),
    [protocol, text, contentType],
  );
  if (response === null) return <PlainText text={text} />;
  return <ResponseText response={response} isRunning={false} hasGap={hasGap} />;
}

function Note({ children }: { readonly children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  );
}
