import { CloseButton, Drawer, getDefaultZIndex, Title } from '@mantine/core';
import { useHotkeys, useMediaQuery, useWindowEvent } from '@mantine/hooks';
import { type ReactNode, useCallback, useId, useState } from 'react';
import { createPortal } from 'react-dom';
import classes from './detail-pane.module.css';
import {
  isDialogOpen,
  useDialogWasOpen,
  useRestoreFocus,
} from '../../hooks/keyboard/open-dialog.ts';

interface DetailPaneProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * Shows the details of the item selected in a list: beside the list on a wide page, over it on a narrow one. Escape
 * closes it. A change of the page's width keeps what the details hold: open dialogs, and what was typed.
 */
export function DetailPane({ title, onClose, children }: DetailPaneProps) {
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
  const [content] = useState(createContent);
  const [isPlaced, setIsPlaced] = useState(false);
  const place = useCallback(
    (slot: HTMLElement | null) => {
      slot?.append(content);
      // Rendered only now, so that nothing is measured outside the document.
      if (slot !== null) setIsPlaced(true);
    },
    [content],
  );
  const Frame = wide ? Beside : Over;
  return (
    <>
      <Frame title={title} onClose={onClose}>
        <div ref={place} className={classes['slot']} />
      </Frame>
      {isPlaced && createPortal(children, content)}
    </>
  );
}

/** Creates the element that holds the details, which moves from one frame to the other. */
function createContent(): HTMLElement {
  const content = document.createElement('div');
  content.className = classes['slot'] ?? '';
  return content;
}

function Beside({ title, onClose, children }: DetailPaneProps) {
  const id = useId();
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

function Over({ title, onClose, children }: DetailPaneProps) {
  // Otherwise below a dialog that was open before: it keeps the keys until it is closed.
  const [isOnTop, setIsOnTop] = useState(() => !isDialogOpen());
  const [body, setBody] = useState<HTMLElement | null>(null);
  useWindowEvent(
    'keydown',
    ({ key }) => {
      if (isOnTop || (key !== 'Tab' && key !== 'Escape') || isDialogOpen(body)) return;
      setIsOnTop(true);
      if (key === 'Escape') onClose();
    },
    { capture: true },
  );
  return (
    <Drawer
      opened
      onClose={onClose}
      title={title}
      classNames={{ title: classes['title'] ?? '', body: classes['drawerBody'] ?? '' }}
      position="right"
      size="min(100%, 480px)"
      zIndex={getDefaultZIndex('modal') - 1}
      trapFocus={isOnTop}
      lockScroll={isOnTop}
      closeOnEscape={isOnTop}
      transitionProps={{ duration: 120 }}
      closeButtonProps={{ 'aria-label': 'Close the details' }}
    >
      <div ref={setBody} className={classes['slot']}>
        {children}
      </div>
    </Drawer>
  );
}
