import { useMemo } from 'react';
import { toastError } from '../hooks/toast.ts';
import { useOptionalDesktop } from './use-desktop.ts';

/**
 * On the desktop, what a click on a link that leads out has to do: the app asks the person, then opens or copies it, and says so when it
 * does not. `null` in a browser, where a link does it by itself.
 */
export function useExternalLink(): ((url: string) => void) | null {
  const desktop = useOptionalDesktop();
  return useMemo(() => {
    if (desktop === null) return null;
    return (url) => {
      desktop.calls
        .openLink({ url })
        .catch((error: unknown) => toastError('The link was not opened.', error));
    };
  }, [desktop]);
}
