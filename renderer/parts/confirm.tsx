import { Button, Group, Modal, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface ConfirmProps {
  readonly opened: boolean;
  /** The question: "Delete all exchanges?" */
  readonly title: string;
  /** What will happen, and whether it can be undone. */
  readonly children: ReactNode;
  /** What the button does: "Delete 120 exchanges". */
  readonly action: string;
  readonly busy: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something that cannot be taken back. The way out has the focus. */
export function Confirm({ title, children, action, busy, onConfirm, ...modal }: ConfirmProps) {
  return (
    <Modal {...modal} title={title}>
      <Text size="sm" component="div">
        {children}
      </Text>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={modal.onClose} data-autofocus>
          Cancel
        </Button>
        <Button color="red.9" onClick={onConfirm} loading={busy}>
          {action}
        </Button>
      </Group>
    </Modal>
  );
}
