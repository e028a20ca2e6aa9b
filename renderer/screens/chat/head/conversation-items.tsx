import { Kbd, Menu } from '@mantine/core';
import { IconBraces, IconMarkdown, IconPencil, IconTrash } from '@tabler/icons-react';
import type { ListActions } from './use-list-actions.tsx';

const ICON = { size: 15, stroke: 1.7, 'aria-hidden': true } as const;

interface ConversationItemsProps {
  readonly acts: ListActions;
  /** Shows the shortcuts, where they work. */
  readonly keys?: boolean;
}

/** The menu items for one conversation. */
export function ConversationItems({ acts, keys = false }: ConversationItemsProps) {
  return (
    <>
      <Menu.Item
        leftSection={<IconPencil {...ICON} />}
        rightSection={keys && <Kbd size="xs">F2</Kbd>}
        onClick={acts.rename}
      >
        Rename…
      </Menu.Item>
      <Menu.Item leftSection={<IconMarkdown {...ICON} />} onClick={() => acts.save('markdown')}>
        Export as Markdown
      </Menu.Item>
      <Menu.Item leftSection={<IconBraces {...ICON} />} onClick={() => acts.save('json')}>
        Export as JSON
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item
        c="var(--gate-bad)"
        leftSection={<IconTrash {...ICON} />}
        rightSection={keys && <Kbd size="xs">Del</Kbd>}
        onClick={acts.remove}
      >
        Delete…
      </Menu.Item>
    </>
  );
}
