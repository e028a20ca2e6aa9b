import { notifications } from '@mantine/notifications';
import { sentenceOf } from './problem.ts';

/** Tells in passing that something was done. */
export function sayDone(message: string): void {
  notifications.show({ message, color: 'teal' });
}

/** Tells that something could not be done, and why. */
export function sayFailed(title: string, error: unknown): void {
  sayRefused(title, sentenceOf(error));
}

/** The same, when the reason is known already. */
export function sayRefused(title: string, message: string): void {
  notifications.show({ title, message, color: 'red', autoClose: 8_000 });
}
