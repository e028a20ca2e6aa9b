import { Button, Group, Stack } from '@mantine/core';
import type { ConnectionTestReport } from '../../../../shared/upstream.ts';
import { TestResultMessage } from '../../../components/test-result.tsx';
import classes from './dialog-footer.module.css';

interface DialogFooterProps {
  /** The result of the latest test. */
  readonly verdict: ConnectionTestReport | undefined;
  /** Why there is no result, when a reason is known. */
  readonly error: unknown;
  readonly testing: boolean;
  readonly onTest: () => void;
  readonly onCancel: () => void;
  readonly saving: boolean;
  /** Label of the submit button. */
  readonly save: string;
}

/** The buttons below a dialog's form, always visible: test, cancel, save. */
export function DialogFooter(props: DialogFooterProps) {
  const { verdict, error, testing, onTest, onCancel, saving, save } = props;
  return (
    <Stack className={classes['footer'] ?? ''} gap="sm">
      <TestResultMessage verdict={verdict} error={error} />
      <Group justify="space-between">
        <Button variant="default" onClick={onTest} loading={testing}>
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
