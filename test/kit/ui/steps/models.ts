import type { Page } from '@playwright/test';

export function rows(page: Page) {
  return page.getByRole('table', { name: 'Models' }).getByRole('row');
}

/** The button that a model's row is opened with. */
export function row(page: Page, id: string) {
  return page.getByRole('table', { name: 'Models' }).getByRole('button', { name: id, exact: true });
}
