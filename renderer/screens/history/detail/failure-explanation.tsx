import { Alert, Code, List, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconDoorExit } from '@tabler/icons-react';
import { VIDEOS_CLIENT_ID, VIDEOS_CLIENT_NAME } from '../../../../shared/client.ts';
import type { ExchangeRecord } from '../../../../shared/exchange/exchange.ts';
import { explain } from '../../../../shared/failure/explain.ts';
import type { Failure } from '../../../../shared/failure/failure.ts';
import { findLimitId } from '../../../../shared/money/describe-limit.ts';
import { RefusingLimit } from '../../../components/limit-dialog/refusing-limit.tsx';
import { toHistorySearch } from '../../../format/history-search.ts';
import { ScreenLink } from '../../../components/screen-link.tsx';
import classes from './failure-explanation.module.css';

const PLACES = {
  models: { to: '/models', label: 'Go to Models' },
  clients: { to: '/clients', label: 'Go to Clients' },
  limits: { to: '/clients', label: 'Change this limit' },
  settings: { to: '/settings', label: 'Go to Settings' },
} as const satisfies Record<NonNullable<Failure['place']>, unknown>;

interface FailureExplanationProps {
  readonly exchange: ExchangeRecord;
}

/** Explains a failed exchange and what to do. Renders nothing for one that did not fail. */
export function FailureExplanation({ exchange }: FailureExplanationProps) {
  const explanation = explain(exchange);
  if (explanation === null) return null;
  const clientLeft = exchange.endedBy === 'client' && (exchange.status ?? 0) < 400;
  return (
    <Alert
      color={clientLeft ? 'gray' : 'red'}
      icon={clientLeft ? <IconDoorExit /> : <IconAlertTriangle />}
      title={explanation.title}
      variant="light"
    >
      <Stack gap={8}>
        <Text size="sm">{explanation.meaning}</Text>
        <List size="sm" spacing={4}>
          {explanation.advice.map((advice) => (
            <List.Item key={advice}>{advice}</List.Item>
          ))}
        </List>
        <PlaceToGo exchange={exchange} place={explanation.place} />
        <ServiceMessage exchange={exchange} />
      </Stack>
    </Alert>
  );
}

interface PlaceToGoProps extends FailureExplanationProps {
  readonly place: Failure['place'];
}

/** Leads to what can be changed: the limit itself, or the screen. */
function PlaceToGo({ exchange, place }: PlaceToGoProps) {
  const { errorMessage, run } = exchange;
  if (place === null) return null;
  if (place === 'limits' && errorMessage !== null && findLimitId(errorMessage) !== null) {
    return (
      <>
        {run !== null && errorMessage.includes(run) && (
          <ScreenLink
            to="/history"
            search={toHistorySearch({ run })}
            size="sm"
            underline="always"
            w="fit-content"
          >
            Show all requests of this run
          </ScreenLink>
        )}
        <RefusingLimit refusal={errorMessage} />
      </>
    );
  }
  const { to, label } = PLACES[place];
  return (
    <ScreenLink
      to={to}
      search={place === 'limits' ? { client: findClientId(exchange) } : {}}
      size="sm"
      underline="always"
      w="fit-content"
    >
      {label}
    </ScreenLink>
  );
}

/** Exchanges of the video queue record only its name. */
function findClientId({ clientId, clientName }: ExchangeRecord): string | undefined {
  return clientId ?? (clientName === VIDEOS_CLIENT_NAME ? VIDEOS_CLIENT_ID : undefined);
}

/** The original error message, verbatim. */
function ServiceMessage({ exchange: { errorCode, errorMessage } }: FailureExplanationProps) {
  return (
    <>
      {errorMessage !== null && (
        <Text size="sm" className={classes['serviceMessage'] ?? ''}>
          {errorMessage}
        </Text>
      )}
      {errorCode !== null && (
        <Text size="xs">
          Code: <Code>{errorCode}</Code>
        </Text>
      )}
    </>
  );
}
