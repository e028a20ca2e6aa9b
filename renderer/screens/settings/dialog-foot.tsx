import { Button, Group, Stack } from '@mantine/core';
import type { useTrial } from '../../parts/use-trial.ts';
import { Verdict } from '../../parts/verdict.tsx';
import classes from './dialog-foot.module.css';

interface FootProps {
  readonly trial: ReturnType<typeof useTrial>;
  readonly onTest: () => void;
  readonly onCancel: () => void;
  readonly saving: boolean;
  /** What the button that submits is called. */
  readonly save: string;
}

/** The buttons below a dialog's form, always in sight: try it, leave it, keep it. */
export function DialogFoot({ trial, onTest, onCancel, saving, save }: FootProps) {
  return (
    <Stack className={classes['foot'] ?? ''} gap="sm">
      <Verdict verdict={trial.data} error={trial.error} />
      <Group justify="space-between">
        <Button variant="default" onClick={onTest} loading={trial.isPending}>
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
