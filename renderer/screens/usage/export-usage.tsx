import { Button, Menu } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type {
  Speed,
  UsageGroup,
  UsageGrouping,
  UsageOverview,
  UsageTotals,
} from '../../../shared/history/usage.ts';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import { useCalls } from '../../api/client.ts';
import { downloadBlob } from '../../hooks/text-file-builder.ts';
import { toastError } from '../../hooks/toast.ts';
import { hasTail } from './describe-usage.ts';
import type { ShownServices } from './service-picker.tsx';

interface ExportUsageProps {
  readonly overview: UsageOverview;
  readonly by: UsageGrouping;
  readonly shown: ShownServices;
  readonly currency: string;
}

/** Saves the usage of the period: the groups as CSV, everything as JSON. */
export function ExportUsage({ overview, by, shown, currency }: ExportUsageProps) {
  const calls = useCalls();
  const { period } = overview;
  const { of, name } = shown;
  const save = async (format: 'csv' | 'json'): Promise<void> => {
    try {
      const { groups } = await calls.usage.groups.call({ ...period, of, by });
      const text =
        format === 'csv'
          ? toCsv(groups, { by, currency, name })
          : `${JSON.stringify({ of, service: name, charged: of !== SANDBOX_ID, currency, ...overview, by, groups }, null, 2)}\n`;
      const type = format === 'csv' ? 'text/csv;charset=utf-8' : 'application/json';
      downloadBlob(
        new Blob([text], { type }),
        `gatehouse-usage-${of === SANDBOX_ID ? 'sandbox-' : ''}${period.since}-${period.until}.${format}`,
      );
    } catch (error) {
      toastError('Could not export.', error);
    }
  };
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconDownload size={14} aria-hidden />}
          aria-label="Export the usage"
        >
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void save('csv')}>CSV of the groups, for spreadsheets</Menu.Item>
        <Menu.Item onClick={() => void save('json')}>JSON of all totals, for programs</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

type Column = readonly [name: string, valueOf: (totals: UsageTotals) => number | null];

const COLUMNS: readonly Column[] = [
  ['requests', ({ exchanges }) => exchanges],
  ['errors', ({ errors }) => errors],
  ['refused_by_limits', ({ refused }) => refused],
  ['cost_estimated_requests', ({ costEstimated }) => costEstimated],
  ['unpriced_requests', ({ unpriced }) => unpriced],
  ['input_tokens', ({ input }) => input],
  ['output_tokens', ({ output }) => output],
  ['cache_read_tokens', ({ cacheRead }) => cacheRead],
  ['cache_write_tokens', ({ cacheWrite }) => cacheWrite],
  ['cache_write_hour_tokens', ({ cacheWriteHour }) => cacheWriteHour],
  ['reasoning_tokens', ({ reasoning }) => reasoning],
  ['first_byte_median_ms', ({ firstByte }) => round(firstByte?.median)],
  ['first_byte_p95_ms', ({ firstByte }) => round(tailOf(firstByte))],
  ['tokens_per_second_median', ({ rate }) => round(rate?.median)],
  ['tokens_per_second_p95', ({ rate }) => round(tailOf(rate))],
];

function tailOf(speed: Speed | null): number | null {
  return speed !== null && hasTail(speed) ? speed.p95 : null;
}

function round(value: number | null | undefined): number | null {
  return value == null ? null : Math.round(value * 10) / 10;
}

/** An unknown number is an empty field, never zero. */
function toCsv(
  groups: readonly UsageGroup[],
  { by, currency, name }: Pick<ExportUsageProps, 'by' | 'currency'> & Pick<ShownServices, 'name'>,
): string {
  const head = [
    by,
    `cost_${currency.toLowerCase()}`,
    ...COLUMNS.map(([column]) => column),
    'service',
    'currency',
  ];
  const rows = groups.map((group) => [
    toField(group.name || (group.run ?? '')),
    group.cost === null ? '' : String(group.cost / 1e6),
    ...COLUMNS.map(([, valueOf]) => valueOf(group) ?? ''),
    toField(name),
    currency,
  ]);
  return [head, ...rows].map((row) => `${row.join(',')}\r\n`).join('');
}

/** Quotes a name. A spreadsheet would run one that begins like a formula. */
function toField(name: string): string {
  const safe = /^[=+\-@\t\r]/u.test(name) ? `'${name}` : name;
  return `"${safe.replaceAll('"', '""')}"`;
}
