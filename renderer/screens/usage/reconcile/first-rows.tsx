import { Table } from '@mantine/core';
import type { UsageExportSample } from '../../../../shared/reconcile/reconcile-contract.ts';
import classes from './reconcile.module.css';
import { ScrolledTable } from './scrolled-table.tsx';

/** Columns that the table shows; the selects have all of them. */
const MAX_SHOWN = 30;

/** The first rows of an export as a table. */
export function FirstRows({ sample: { columns } }: { readonly sample: UsageExportSample }) {
  const shown = columns.slice(0, MAX_SHOWN);
  const rows = shown[0]?.values.map((_, row) => row) ?? [];
  return (
    <ScrolledTable label="First rows of the file" minWidth={300}>
      <Table className={classes['rows'] ?? ''} verticalSpacing={3} withTableBorder>
        <Table.Thead>
          <Table.Tr>
            {shown.map(({ name }) => (
              <Table.Th key={name}>
                <span>{name}</span>
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row}>
              {shown.map(({ name, values }) => (
                <Table.Td key={name}>
                  <span>{values[row]}</span>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrolledTable>
  );
}
