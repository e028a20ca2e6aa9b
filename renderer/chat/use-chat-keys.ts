import { useHotkeys } from '@mantine/hooks';
import { isDialogOpen } from '../hooks/keyboard/open-dialog.ts';
import { useShortcuts } from '../hooks/keyboard/use-shortcuts.ts';

/** Registers Ctrl+N for a new conversation, and `n`, because browsers reserve Ctrl+N. */
export function useChatKeys(startNew: () => void): void {
  const begin = (): void => {
    if (!isDialogOpen()) startNew();
  };
  useHotkeys([['mod+N', begin]], []);
  useShortcuts({ n: begin });
}
