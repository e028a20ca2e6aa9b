import { Button, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconArrowsRightLeft } from '@tabler/icons-react';
import { Aliases } from './aliases.tsx';

/** A button that shows the aliases of models and their profiles in a dialog. */
export function AliasesButton() {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconArrowsRightLeft size={15} />}
        onClick={open}
      >
        Aliases
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        size="lg"
        title="Aliases of models"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Aliases />
      </Modal>
    </>
  );
}
