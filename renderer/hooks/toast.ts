import { notifications } from '@mantine/notifications';
import { toMessage } from '../format/errors.ts';

/** Shows a short notification of success. */
export function toastSuccess(message: string): void {
  notifications.show({ message, color: 'teal' });
}

/** Shows a notification that an action failed, with the reason taken from the error. */
export function toastError(title: string, error: unknown): void {
  toastMessage(title, toMessage(error));
}

/** Shows a notification that an action failed, with a reason that is already text. */
export function toastMessage(title: string, message: string): void {
  notifications.show({ title, message, color: 'red', autoClose: 8_000 });
}
