import { Group, Text } from '@mantine/core';
import { CopyButton } from './copy-button.tsx';
import classes from './copy-field.module.css';

interface CopyFieldProps {
  readonly value: string;
  readonly what: string;
  /** Stands above the value. */
  readonly label?: string;
  /** Several lines, as they are. */
  readonly block?: boolean;
}

/** A value to be pasted elsewhere, in full, with its copy button. */
export function CopyField({ value, what, label, block = false }: CopyFieldProps) {
  return (
    <div>
      {label !== undefined && (
        <Text size="xs" c="dimmed" mb={4}>
          {label}
        </Text>
      )}
      <Group className={classes['field'] ?? ''} gap={4} wrap="nowrap" align="flex-start">
        <code className={classes['value'] ?? ''} data-block={block || undefined}>
          {value}
        </code>
        <CopyButton value={value} what={what} />
      </Group>
    </div>
  );
}
