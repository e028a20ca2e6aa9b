import { Button, Group, Stack } from '@mantine/core';
import type { useConnectionTest } from '../../../hooks/use-connection-test.ts';
import { TestResultMessage } from '../../../components/test-result.tsx';
import classes from './dialog-footer.module.css';

interface DialogFooterProps {
  readonly connectionTest: ReturnType<typeof useConnectionTest>;
  readonly onTest: () => void;
  readonly onCancel: () => void;
  readonly saving: boolean;
  /** Label of the submit button. */
  readonly save: string;
}

/** The buttons below a dialog's form, always visible: test, cancel, save. */
export function DialogFooter({
  connectionTest,
  onTest,
  onCancel,
  saving,
  save,
}: DialogFooterProps) {
  return (
    <Stack className={classes['foot'] ?? ''} gap="sm">
      <TestResultMessage verdict={connectionTest.data} error={connectionTest.error} />
      <Group justify="space-between">
        <Button variant="default" onClick={onTest} loading={connectionTest.isPending}>
          Test
        </Button>
        <Group gap="xs">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={saving}>
            {save}
          </Button>
        </Group>
      </Group>
    </Stack>
  );
}
