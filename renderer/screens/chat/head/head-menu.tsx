import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCode, IconDots } from '@tabler/icons-react';
import type { Conversation } from '../../../../shared/chat/chat.ts';
import { CodeDialog } from './code-dialog.tsx';
import { ConversationItems } from './conversation-items.tsx';
import { displayTitle } from './display-title.ts';
import { useListActions } from './use-list-actions.tsx';

interface HeadMenuProps {
  readonly conversation: Conversation;
  readonly onGone: () => void;
}

/** The menu of the open conversation. */
export function HeadMenu({ conversation, onGone }: HeadMenuProps) {
  const { id } = conversation;
  const acts = useListActions({ id, title: displayTitle(conversation), onGone });
  const [shown, code] = useDisclosure(false);
  return (
    <>
      <Menu position="bottom-end" shadow="md">
        <Menu.Target>
          <Tooltip label="More">
            <ActionIcon variant="subtle" color="gray" aria-label="More about this conversation">
              <IconDots size={18} stroke={1.7} />
            </ActionIcon>
          </Tooltip>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconCode size={15} stroke={1.7} aria-hidden />}
            onClick={code.open}
          >
            As code…
          </Menu.Item>
          <ConversationItems acts={acts} />
        </Menu.Dropdown>
      </Menu>
      {acts.dialogs}
      {shown && <CodeDialog conversation={conversation} onClose={code.close} />}
    </>
  );
}
