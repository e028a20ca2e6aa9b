import { useNavigate, useSearch } from '@tanstack/react-router';
import { type RefObject, useEffect } from 'react';

const LABELS = 'h2, [data-setting]';
const CONTROLS = 'button, input, [role="switch"]';

/** Scrolls to the setting that the address names, once the sections are loaded, and focuses its first control. */
export function useShownSetting(contents: RefObject<HTMLElement | null>, isLoaded: boolean): void {
  const { setting } = useSearch({ from: '/settings' });
  const navigate = useNavigate({ from: '/settings' });
  useEffect(() => {
    if (!isLoaded || setting === undefined) return;
    const labels = [...(contents.current?.querySelectorAll(LABELS) ?? [])];
    const label = labels.find(({ textContent }) => textContent === setting);
    const row =
      label?.tagName === 'H2' ? label.closest('section') : label?.parentElement?.parentElement;
    row?.scrollIntoView({ block: label?.tagName === 'H2' ? 'start' : 'center' });
    row?.querySelector<HTMLElement>(CONTROLS)?.focus({ preventScroll: true });
    // The same setting can be chosen again.
    void navigate({ search: {}, replace: true, resetScroll: false });
  }, [contents, isLoaded, setting, navigate]);
}
