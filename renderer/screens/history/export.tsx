import { Button, Group, Menu, Progress, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { HistoryFilter } from '../../../shared/history.ts';
import { countText } from '../../parts/figures.ts';
import classes from './export.module.css';
import { type Exporting, useExport } from './use-export.ts';

/** Saves the filtered list as a file, with its progress and a way to stop. */
export function Export({ filter }: { readonly filter: HistoryFilter }) {
  const { exporting, begin, cancel } = useExport(filter);
  if (exporting !== null) return <Underway exporting={exporting} onCancel={cancel} />;
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

interface UnderwayProps {
  readonly exporting: Exporting;
  readonly onCancel: () => void;
}

function Underway({ exporting: { exchanges, of }, onCancel }: UnderwayProps) {
  const part = of === null || of === 0 ? 0 : Math.min(100, (exchanges / of) * 100);
  return (
    <Group gap="xs" wrap="nowrap">
      <Progress className={classes['bar'] ?? ''} value={part} aria-label="Exported" />
      <Text size="xs" data-figures>
        {countText(exchanges)}
        {of !== null && ` of ${countText(of)}`}
      </Text>
      <Button size="compact-sm" variant="default" onClick={onCancel}>
        Cancel
      </Button>
    </Group>
  );
}
