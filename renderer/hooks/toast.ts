import { notifications } from '@mantine/notifications';
import { toMessage } from '../format/errors.ts';

/** Tells in passing that something was done. */
export function toastSuccess(message: string): void {
  notifications.show({ message, color: 'teal' });
}

/** Tells that something could not be done, and why. */
export function toastError(title: string, error: unknown): void {
  toastMessage(title, toMessage(error));
}

/** The same, when the reason is known already. */
export function toastMessage(title: string, message: string): void {
  notifications.show({ title, message, color: 'red', autoClose: 8_000 });
}
