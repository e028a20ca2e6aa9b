import { ActionIcon, Drawer, Tooltip } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { IconLayoutSidebarLeftExpand } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import classes from './chat.module.css';
import { ConversationList } from './list/conversation-list.tsx';

/** Shows the list of conversations: beside the open one on a wide page, otherwise behind a button. */
export function Conversations(list: ComponentProps<typeof ConversationList>) {
  const wide = useMediaQuery('(min-width: 56.25em)', true, { getInitialValueInEffect: false });
  const [opened, { open, close }] = useDisclosure(false);
  if (wide) {
    return (
      <aside className={classes['list']} aria-label="Conversations">
        <ConversationList {...list} />
      </aside>
    );
  }
  return (
    <>
      <Tooltip label="Conversations">
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          className={classes['openButton'] ?? ''}
          aria-label="Conversations"
          aria-expanded={opened}
          onClick={open}
        >
          <IconLayoutSidebarLeftExpand size={18} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
      <Drawer
        opened={opened}
        onClose={close}
        title="Conversations"
        size="min(88%, 320px)"
        transitionProps={{ duration: 120 }}
        closeButtonProps={{ 'aria-label': 'Close the conversations' }}
        classNames={{ body: classes['drawer'] ?? '' }}
      >
        <ConversationList
          {...list}
          onChoose={(id, at) => {
            close();
            list.onChoose(id, at);
          }}
          onNew={() => {
            close();
            list.onNew();
          }}
        />
      </Drawer>
    </>
  );
}
