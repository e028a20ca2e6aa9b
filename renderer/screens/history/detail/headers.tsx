import { SegmentedControl, Stack, Table, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ExchangeHeaders, HeaderList } from '../../../../shared/history/history.ts';
import { ScreenLink } from '../../../components/screen-link.tsx';
import classes from './headers.module.css';

type Head = keyof ExchangeHeaders;

const HEADS: readonly { readonly value: Head; readonly label: string }[] = [
  { value: 'received', label: 'Received' },
  { value: 'sent', label: 'Sent' },
  { value: 'answered', label: 'Answered' },
  { value: 'returned', label: 'Returned' },
];
const ABOUT: Readonly<Record<Head, string>> = {
  received: 'From the client to Gatehouse.',
  sent: 'From Gatehouse to the service.',
  answered: 'From the service to Gatehouse.',
  returned: 'From Gatehouse to the client.',
};
const ABSENT: Readonly<Record<Head, string>> = {
  received: 'The headers could not be read.',
  sent: 'Nothing was sent to the service.',
  answered: 'The service did not answer.',
  returned: 'Nothing was returned to the client.',
};

interface HeadersProps {
  readonly headers: ExchangeHeaders | null;
  /** Whether a valid local key identified the client. */
  readonly known: boolean;
}

/** Shows the headers of an exchange as they were sent, with credentials masked. */
export function Headers({ headers, known }: HeadersProps) {
  const [head, setHead] = useState<Head>('received');
  const [text, setText] = useState('');
  if (headers === null) return known ? <NotKept /> : <NeverKept />;
  return (
    <Stack gap={6}>
      <SegmentedControl
        size="xs"
        data={[...HEADS]}
        value={head}
        onChange={setHead}
        aria-label="Which headers"
      />
      <TextInput
        size="xs"
        aria-label="Filter the headers"
        placeholder="Name or value"
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Text size="xs" c="dimmed">
        {ABOUT[head]} Credentials are masked before they are stored.
      </Text>
      <HeadTable list={headers[head]} text={text} absent={ABSENT[head]} />
    </Stack>
  );
}

interface HeadTableProps {
  readonly list: HeaderList | null;
  readonly text: string;
  readonly absent: string;
}

function HeadTable({ list, text, absent }: HeadTableProps) {
  if (list === null) return <Text size="sm">{absent}</Text>;
  const search = text.trim().toLowerCase();
  const shown = list.filter(([name, value]) => `${name}: ${value}`.toLowerCase().includes(search));
  if (shown.length === 0) return <Text size="sm">No headers match.</Text>;
  return (
    <Table
      className={classes['table'] ?? ''}
      aria-label="Headers"
      verticalSpacing={4}
      horizontalSpacing={6}
    >
      <Table.Tbody>
        {shown.map(([name, value], place) => (
          <Table.Tr key={place}>
            <Table.Th scope="row">{name}</Table.Th>
            <Table.Td>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function NotKept() {
  return (
    <Text size="sm" c="dimmed">
      The headers of this request are not stored, or were deleted. The time for which they are kept
      is set in{' '}
      <ScreenLink to="/settings" size="sm" underline="always">
        Settings
      </ScreenLink>
      .
    </Text>
  );
}

function NeverKept() {
  return (
    <Text size="sm" c="dimmed">
      Headers of requests without a valid local key are not stored, so that nobody can fill the disk
      with them.
    </Text>
  );
}
