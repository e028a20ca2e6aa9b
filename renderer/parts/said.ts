import { notifications } from '@mantine/notifications';
import { sentenceOf } from './problem.ts';

/** Tells in passing that something was done. */
export function sayDone(message: string): void {
  notifications.show({ message, color: 'teal' });
}

/** Tells that something could not be done, and why. */
export function sayFailed(title: string, error: unknown): void {
  notifications.show({ title, message: sentenceOf(error), color: 'red', autoClose: 8_000 });
}
