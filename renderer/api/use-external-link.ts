import { useMemo } from 'react';
import { toastError } from '../hooks/toast.ts';
import { useOptionalDesktop } from './use-desktop.ts';

/**
 * Returns the click handler for external links in the desktop app: the app asks the person, opens or copies the link,
 * and reports a failure. `null` in a browser, which opens links itself.
 */
export function useExternalLink(): ((url: string) => void) | null {
  const desktop = useOptionalDesktop();
  return useMemo(() => {
    if (desktop === null) return null;
    return (url) => {
      desktop.calls
        .openLink({ url })
        .catch((error: unknown) => toastError('Could not open the link.', error));
    };
  }, [desktop]);
}
