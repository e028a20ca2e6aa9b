import { Group, Text } from '@mantine/core';
import { CopyButton } from './copy-button.tsx';
import classes from './copy-field.module.css';

interface CopyFieldProps {
  readonly value: string;
  readonly what: string;
  /** Label above the value. */
  readonly label?: string;
  /** Keeps line breaks of a value with several lines. */
  readonly block?: boolean;
}

/** Shows a value in full with its copy button. */
export function CopyField({ value, what, label, block = false }: CopyFieldProps) {
  return (
    <div>
      {label !== undefined && (
        <Text size="xs" c="dimmed" mb={4}>
          {label}
        </Text>
      )}
      <Group className={classes['field'] ?? ''} gap={4} wrap="nowrap" align="flex-start">
        <code
          className={classes['value'] ?? ''}
          data-block={block || undefined}
          {...(block && { tabIndex: 0 })}
        >
          {value}
        </code>
        <CopyButton value={value} what={what} />
      </Group>
    </div>
  );
}
