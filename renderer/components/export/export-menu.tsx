import { Button, Group, Menu, Progress, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { formatCount } from '../../../shared/format.ts';
import classes from './export-menu.module.css';
import { type ExportedPart, type ExportState, useExport } from './use-export.ts';

interface ExportMenuProps {
  readonly part: ExportedPart;
  /** The name of the button for assistive technology, where the word alone does not say what is exported. */
  readonly label?: string;
}

/** Saves exchanges as a file in a format to choose, with progress and a stop button. */
export function ExportMenu({ part, label = 'Export' }: ExportMenuProps) {
  const { exporting, begin, cancel } = useExport(part);
  if (exporting !== null) return <ExportProgress exporting={exporting} onCancel={cancel} />;
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconDownload size={14} aria-hidden />}
          aria-label={label}
        >
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {part.kind !== 'exchange' && (
          <Menu.Item onClick={() => begin('csv')}>CSV of the facts, for spreadsheets</Menu.Item>
        )}
        <Menu.Item onClick={() => begin('html')}>Page, for any browser</Menu.Item>
        <Menu.Item onClick={() => begin('md')}>Markdown, for reading</Menu.Item>
        <Menu.Item onClick={() => begin('har')}>HAR, for developer tools</Menu.Item>
        <Menu.Item onClick={() => begin('jsonl')}>JSONL, for programs</Menu.Item>
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
