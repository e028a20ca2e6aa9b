import { Button, Group, Modal, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface ConfirmDialogProps {
  readonly opened: boolean;
  /** The question: "Delete all exchanges?" */
  readonly title: string;
  /** What will happen, and whether it can be undone. */
  readonly children: ReactNode;
  /** What the button does: "Delete 120 exchanges". */
  readonly action: string;
  /** The way out; "Cancel" unless that is what the question is about. */
  readonly cancel?: string;
  /** Nothing is lost by it. */
  readonly harmless?: boolean;
  readonly busy: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something that cannot be taken back. The way out has the focus. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, action, busy, onConfirm, cancel = 'Cancel', harmless, ...modal } = props;
  return (
    <Modal {...modal} title={title}>
      <Text size="sm" component="div">
        {children}
      </Text>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={modal.onClose} data-autofocus>
          {cancel}
        </Button>
        <Button {...(harmless !== true && { color: 'red.9' })} onClick={onConfirm} loading={busy}>
          {action}
        </Button>
      </Group>
    </Modal>
  );
}
