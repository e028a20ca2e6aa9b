import { Button, Stack, Table, Tabs, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { formatCount } from '../../../../shared/format.ts';
import {
  describeCounts,
  describeGaps,
  formatMeasure,
  formatSigned,
  listMeasures,
} from '../../../../shared/reconcile/describe-reconciliation.ts';
import { Panel } from '../../../components/panel.tsx';
import { downloadBlob } from '../../../hooks/text-file-builder.ts';
import { useCurrency } from '../../../hooks/use-currency.ts';
import { describeDifference } from './describe-difference.ts';
import { DifferenceTable } from './difference-table.tsx';
import { toCsv } from './differences-csv.ts';
import { formatPeriod } from './format-time.ts';
import classes from './reconcile.module.css';
import { ScrolledTable } from './scrolled-table.tsx';
import type { FinishedComparison } from './use-comparison.ts';

interface ResultProps extends FinishedComparison {
  /** The id of the service. */
  readonly service: string;
}

/** The totals of both sides, and the differences. */
export function Result({ query: { columns }, found, service }: ResultProps) {
  const currency = useCurrency();
  return (
    <Panel
      title="Result"
      aside={
        <Text span size="xs" c="dimmed" data-figures>
          {formatPeriod(found, columns)}
        </Text>
      }
    >
      <Stack gap="sm">
        <Text role="status" fw={500}>
          {describeDifference(found.difference, columns, currency)}
        </Text>
        <Totals {...{ columns, found, currency }} />
        <Text size="sm">{describeCounts(found, columns)}</Text>
        {[...describeGaps(found)].map((sentence) => (
          <Text key={sentence} size="sm">
            {sentence}
          </Text>
        ))}
        <Differences {...{ columns, found, currency, service }} />
      </Stack>
    </Panel>
  );
}

interface PartProps extends Pick<FinishedComparison, 'found'> {
  readonly columns: FinishedComparison['query']['columns'];
  readonly currency: string;
}

function Totals({ columns, found, currency }: PartProps) {
  return (
    <ScrolledTable label="Totals of both sides" minWidth={280} className={classes['totals']}>
      <Table verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Td />
            <Table.Th ta="right">Export</Table.Th>
            <Table.Th ta="right">History</Table.Th>
            <Table.Th ta="right">Difference</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {listMeasures(columns).map(([name, measure]) => (
            <Table.Tr key={measure}>
              <Table.Th scope="row" fw={400}>
                {name}
              </Table.Th>
              <Table.Td ta="right">
                {formatMeasure(measure, found.export[measure], currency)}
              </Table.Td>
              <Table.Td ta="right">
                {formatMeasure(measure, found.history[measure], currency)}
              </Table.Td>
              <Table.Td ta="right" fw={600}>
                {formatSigned(measure, found.difference[measure], currency)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrolledTable>
  );
}

const LISTS = [
  ['onlyInExport', 'Only in the export', 'Everything in the export is in the history.'],
  ['onlyInHistory', 'Only in the history', 'Everything in the history is in the export.'],
  ['different', 'Different', 'Nothing that both sides have differs.'],
] as const;

/** The lists of differences, and their file. */
function Differences({ columns, found, currency, service }: PartProps & { service: string }) {
  const count = LISTS.reduce((sum, [list]) => sum + found[list].count, 0);
  if (count === 0) return null;
  const first = LISTS.find(([list]) => found[list].count > 0)?.[0] ?? 'different';
  const download = () => {
    const text = toCsv(found, columns, currency);
    const blob = new Blob([text], { type: 'text/csv;charset=utf-8' });
    downloadBlob(blob, 'gatehouse-usage-differences.csv');
  };
  return (
    <Tabs key={first} defaultValue={first} keepMounted={false}>
      <Tabs.List>
        {LISTS.map(([list, title]) => (
          <Tabs.Tab key={list} value={list}>
            {title} ({formatCount(found[list].count)})
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {LISTS.map(([list, title, none]) => (
        <Tabs.Panel key={list} value={list} pt="sm">
          {found[list].count === 0 ? (
            <Text size="sm" c="dimmed">
              {none}
            </Text>
          ) : (
            <DifferenceTable {...{ title, list: found[list], columns, currency, service }} />
          )}
        </Tabs.Panel>
      ))}
      <Button
        mt="sm"
        size="compact-sm"
        variant="default"
        leftSection={<IconDownload size={14} aria-hidden />}
        onClick={download}
      >
        Save the differences as CSV
      </Button>
    </Tabs>
  );
}
