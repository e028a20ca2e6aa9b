import { Button, Group, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { formatCount } from '../../../../shared/format.ts';
import {
  formatMeasure,
  listMeasures,
  type Measure,
} from '../../../../shared/reconcile/describe-reconciliation.ts';
import type {
  UsageDifference,
  UsageDifferences,
} from '../../../../shared/reconcile/reconcile-contract.ts';
import type { UsageColumns } from '../../../../shared/reconcile/usage-columns.ts';
import { ScreenLink } from '../../../components/screen-link.tsx';
import { formatTime, toSumFilter } from './format-time.ts';
import classes from './reconcile.module.css';
import { ScrolledTable } from './scrolled-table.tsx';

/** Rows that are shown at first, and more of them with each press of the button. */
const SHOWN = 50;
const MORE = 200;

interface DifferenceTableProps {
  readonly title: string;
  readonly list: UsageDifferences;
  readonly columns: UsageColumns;
  readonly currency: string;
  /** The id of the service. */
  readonly service: string;
}

/** Lists differences; each of the history leads to its request, or to those of a sum. */
export function DifferenceTable({ title, list, ...rest }: DifferenceTableProps) {
  const [shown, setShown] = useState(SHOWN);
  const { first } = list;
  const { columns } = rest;
  const isRequest = columns.rows === 'request';
  const measures = listMeasures(columns).filter(
    ([, measure]) => measure !== 'requests' || !isRequest,
  );
  const rows = first.slice(0, shown);
  const isBoth = first.some((one) => one.export !== null && one.history !== null);
  return (
    <>
      <ScrolledTable label={title} minWidth={620} className={classes['differences']}>
        <Table verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{isRequest ? 'Time' : 'From'}</Table.Th>
              {isRequest && <Table.Th ta="right">Row</Table.Th>}
              <Table.Th>Model</Table.Th>
              {measures.map(([name, measure]) => (
                <Table.Th key={measure} ta="right">
                  {name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((one, place) => (
              <DifferenceRow key={place} {...{ one, measures, isRequest, ...rest }} />
            ))}
          </Table.Tbody>
        </Table>
      </ScrolledTable>
      <Footer {...{ list, shown: rows.length, isBoth }} onMore={() => setShown(shown + MORE)} />
    </>
  );
}

interface FooterProps {
  readonly list: UsageDifferences;
  readonly shown: number;
  /** Whether rows have numbers of both sides. */
  readonly isBoth: boolean;
  readonly onMore: () => void;
}

function Footer({ list: { count, first }, shown, isBoth, onMore }: FooterProps) {
  return (
    <Group gap="sm" mt="xs">
      {isBoth && (
        <Text size="xs" c="dimmed">
          Numbers are those of the export / of the history.
        </Text>
      )}
      {shown < count && (
        <Text size="xs" c="dimmed">
          {formatCount(shown)} of {formatCount(count)} are shown
          {first.length < count && `; at most ${formatCount(first.length)} are listed`}.
        </Text>
      )}
      {shown < first.length && (
        <Button size="compact-xs" variant="default" onClick={onMore}>
          Show more
        </Button>
      )}
    </Group>
  );
}

interface DifferenceRowProps extends Omit<DifferenceTableProps, 'title' | 'list'> {
  readonly one: UsageDifference;
  readonly measures: readonly (readonly [string, Measure])[];
  readonly isRequest: boolean;
}

function DifferenceRow({
  one,
  measures,
  isRequest,
  columns,
  currency,
  service,
}: DifferenceRowProps) {
  return (
    <Table.Tr>
      <Table.Td>
        <TimeLink {...{ one, columns, service }} />
      </Table.Td>
      {isRequest && <Table.Td ta="right">{one.place ?? '–'}</Table.Td>}
      <Table.Td data-model>{one.model || '–'}</Table.Td>
      {measures.map(([, measure]) => (
        <Table.Td key={measure} ta="right">
          {[one.export, one.history]
            .flatMap((sums) =>
              sums === null ? [] : [formatMeasure(measure, sums[measure], currency)],
            )
            .join(' / ')}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}

/** The time, as a link where there is something in the history. */
function TimeLink({
  one,
  columns,
  service,
}: Pick<DifferenceRowProps, 'one' | 'columns' | 'service'>) {
  const text = formatTime(one.at, columns);
  if (one.exchange !== null) {
    return (
      <ScreenLink to="/history" search={{ exchange: one.exchange }} size="sm">
        {text}
      </ScreenLink>
    );
  }
  if (one.history === null) return <>{text}</>;
  return (
    <ScreenLink to="/history" search={{ filter: toSumFilter(one, service) }} size="sm">
      {text}
    </ScreenLink>
  );
}
