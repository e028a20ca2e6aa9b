import { useHotkeys } from '@mantine/hooks';
import { isDialogOpen } from '../../hooks/open-dialog.ts';
import { useShortcuts } from '../../hooks/use-shortcuts.ts';

/** Ctrl+N begins a new conversation; browsers keep that for themselves in a tab, so `n` does as well. */
export function useChatKeys(startNew: () => void): void {
  const begin = (): void => {
    if (!isDialogOpen()) startNew();
  };
  useHotkeys([['mod+N', begin]], []);
  useShortcuts({ n: begin });
}
