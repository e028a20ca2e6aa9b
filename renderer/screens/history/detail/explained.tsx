import { Alert, Code, List, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconDoorExit } from '@tabler/icons-react';
import type { ExchangeRecord } from '../../../../shared/exchange.ts';
import { ScreenLink } from '../../../parts/screen-link.tsx';
import { explain, type Explanation } from './explain.ts';

const PLACES = {
  models: { to: '/models', label: 'Go to Models' },
  clients: { to: '/clients', label: 'Go to Clients' },
  settings: { to: '/settings', label: 'Go to Settings' },
} as const satisfies Record<NonNullable<Explanation['place']>, unknown>;

/** Why an exchange went wrong, and what to do. Nothing when nothing went wrong. */
export function Explained({ exchange }: { readonly exchange: ExchangeRecord }) {
  const told = explain(exchange);
  if (told === null) return null;
  const left = exchange.endedBy === 'client' && (exchange.status ?? 0) < 400;
  const place = told.place === null ? null : PLACES[told.place];
  return (
    <Alert
      color={left ? 'gray' : 'red'}
      icon={left ? <IconDoorExit /> : <IconAlertTriangle />}
      title={told.title}
      variant="light"
    >
      <Stack gap={8}>
        <Text size="sm">{told.meaning}</Text>
        <List size="sm" spacing={4}>
          {told.advice.map((advice) => (
            <List.Item key={advice}>{advice}</List.Item>
          ))}
        </List>
        {place !== null && (
          <ScreenLink to={place.to} size="sm" underline="always" w="fit-content">
            {place.label}
          </ScreenLink>
        )}
        {exchange.errorCode !== null && (
          <Text size="xs" c="dimmed">
            Code: <Code>{exchange.errorCode}</Code>
          </Text>
        )}
      </Stack>
    </Alert>
  );
}
