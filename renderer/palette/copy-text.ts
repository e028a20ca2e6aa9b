import { toastMessage, toastSuccess } from '../hooks/toast.ts';

/** Copies a text and says so. */
export function copyText(text: string): void {
  navigator.clipboard.writeText(text).then(
    () => toastSuccess(`Copied ${text}`),
    () => toastMessage('Could not copy', 'This window has no access to the clipboard.'),
  );
}
