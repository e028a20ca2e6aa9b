import type { Locator } from '@playwright/test';

/** Moves the pointer to a part of the page as a person does: in more than one step. */
export async function reach(part: Locator): Promise<void> {
  await part.hover({ position: { x: 4, y: 6 } });
  await part.hover({ position: { x: 8, y: 8 } });
}
