import { CloseButton, Drawer, Title } from '@mantine/core';
import { useHotkeys, useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useId } from 'react';
import classes from './detail-pane.module.css';
import { useDialogWasOpen, useRestoreFocus } from '../../hooks/keyboard/open-dialog.ts';

interface DetailPaneProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * Shows the details of the item selected in a list: beside the list on a wide page, over it on a narrow one. Escape
 * closes it.
 */
export function DetailPane({ title, onClose, children }: DetailPaneProps) {
  const id = useId();
  useRestoreFocus();
  const wide = useMediaQuery('(min-width: 62em)', true, { getInitialValueInEffect: false });
  const wasDialogOpen = useDialogWasOpen();
  useHotkeys([
    [
      'Escape',
      () => {
        // Escape belongs to a dialog above.
        if (!wasDialogOpen()) onClose();
      },
    ],
  ]);
  if (!wide) {
    return (
      <Drawer
        opened
        onClose={onClose}
        title={title}
        classNames={{ title: classes['title'] ?? '', body: classes['drawerBody'] ?? '' }}
        position="right"
        size="min(100%, 480px)"
        transitionProps={{ duration: 120 }}
        closeButtonProps={{ 'aria-label': 'Close the details' }}
      >
        {children}
      </Drawer>
    );
  }
  return (
    <aside className={classes['pane']} aria-labelledby={id}>
      <header className={classes['head']}>
        <Title order={2} id={id} className={classes['title']}>
          {title}
        </Title>
        <CloseButton onClick={onClose} aria-label="Close the details" />
      </header>
      <div className={classes['body']}>{children}</div>
    </aside>
  );
}
