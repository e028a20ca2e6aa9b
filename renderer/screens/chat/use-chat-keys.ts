import { useHotkeys } from '@mantine/hooks';
import { isDialogOpen } from '../../parts/open-dialog.ts';
import { useScreenKeys } from '../../parts/screen-keys.ts';

/** Ctrl+N begins a new conversation; browsers keep that for themselves in a tab, so `n` does as well. */
export function useChatKeys(startNew: () => void): void {
  const begin = (): void => {
    if (!isDialogOpen()) startNew();
  };
  useHotkeys([['mod+N', begin]], []);
  useScreenKeys({ n: begin });
}
