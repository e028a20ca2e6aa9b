import { Button, Group } from '@mantine/core';

interface FootProps {
  readonly testing: boolean;
  readonly onTest: () => void;
  readonly onCancel: () => void;
  readonly saving: boolean;
  /** What the button that submits is called. */
  readonly save: string;
}

/** The buttons below a dialog's form: try it, leave it, keep it. */
export function DialogFoot({ testing, onTest, onCancel, saving, save }: FootProps) {
  return (
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
  );
}
