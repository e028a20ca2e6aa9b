import { Button, Group, Menu, Progress, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { HistoryFilter } from '../../../shared/history.ts';
import { formatCount } from '../../../shared/format.ts';
import classes from './export.module.css';
import { type ExportState, useExport } from './use-export.ts';

/** Saves the filtered list as a file, with progress and a stop button. */
export function ExportMenu({ filter }: { readonly filter: HistoryFilter }) {
  const { exporting, begin, cancel } = useExport(filter);
  if (exporting !== null) return <ExportProgress exporting={exporting} onCancel={cancel} />;
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconDownload size={14} aria-hidden />}
        >
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void begin('csv')}>CSV, for spreadsheets</Menu.Item>
        <Menu.Item onClick={() => void begin('jsonl')}>JSONL, for programs</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

interface ExportProgressProps {
  readonly exporting: ExportState;
  readonly onCancel: () => void;
}

function ExportProgress({ exporting: { exchanges, of }, onCancel }: ExportProgressProps) {
  const part = of === null || of === 0 ? 0 : Math.min(100, (exchanges / of) * 100);
  return (
    <Group gap="xs" wrap="nowrap">
      <Progress className={classes['bar'] ?? ''} value={part} aria-label="Exported" />
      <Text size="xs" data-figures>
        {formatCount(exchanges)}
        {of !== null && ` of ${formatCount(of)}`}
      </Text>
      <Button size="compact-sm" variant="default" onClick={onCancel}>
        Cancel
      </Button>
    </Group>
  );
}
