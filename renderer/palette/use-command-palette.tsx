import { useHotkeys } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { toastMessage } from '../hooks/toast.ts';
import type * as palette from './command-palette.tsx';
import { TypedText } from './typed-text.ts';

type Loaded = typeof palette;

interface OnDemandPalette {
  readonly palette: ReactNode;
  readonly open: () => void;
}

/**
 * Loads the command palette when it is first asked for: the first screen does not need it. Keys that are typed until its input
 * has the focus go into that input, and Escape cancels.
 */
export function useCommandPalette(onKeyHelp: () => void): OnDemandPalette {
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const [isWanted, setWanted] = useState(false);
  const typed = useRef<TypedText>(null);
  typed.current ??= new TypedText(() => setWanted(false));
  useEffect(() => () => void typed.current?.take(), []);
  const isShown = isWanted && loaded !== null;
  const open = (): void => {
    setWanted(true);
    if (isShown) {
      if (loaded.openPalette()) typed.current?.collect();
      return;
    }
    typed.current?.collect();
    import('./command-palette.tsx').then(setLoaded, () => {
      typed.current?.take();
      setWanted(false);
      toastMessage('Could not open this', 'Reload the page: Gatehouse was replaced meanwhile.');
    });
  };
  // Also while a filter has the focus.
  useHotkeys([['mod + K', open]], []);
  const takeTyped = () => typed.current?.take() ?? '';
  return {
    palette: isShown && <loaded.CommandPalette takeTyped={takeTyped} onKeyHelp={onKeyHelp} />,
    open,
  };
}
