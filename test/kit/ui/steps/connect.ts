import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import type { Harness } from '../harness.ts';
import { expect } from '../kit.ts';

export const MODEL = 'aurora/aurora-large';

/** Settings with other fields and a layout of their own. */
export const SETTINGS = `{
  "permissions":   { "deny" : ["Bash(rm:*)"] },
  "env": {
    "EDITOR": "vim"
  },
  "model": "opus"
}
`;

/** The lines of the fields that a connection sets. */
export const SET_LINES = /^ *"(?:ANTHROPIC_\w+|CLAUDE_CODE_\w+|apiKeyHelper)": "[^"]*",?\n/gmu;

/** Adds the commas that members need before those that a connection adds. */
export function withCommas(text: string): string {
  return text.replaceAll(/^(.*: "[^"]*")$/gmu, '$1,');
}

export function settingsOf({ home }: Harness): string {
  return join(home, '.claude', 'settings.json');
}

export async function writeSettings(harness: Harness, text: string): Promise<void> {
  const path = settingsOf(harness);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

export async function readSettings(harness: Harness): Promise<string> {
  return await readFile(settingsOf(harness), 'utf8');
}

/** Opens the dialog, and in it the change of Claude Code with a model. */
export async function openChange(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Connect a program' }).click();
  const dialog = page.getByRole('dialog', { name: 'Connect a program' });
  await dialog
    .getByRole('list', { name: 'Found on this machine' })
    .getByRole('button', { name: /^Claude Code/u })
    .click();
  await expect(dialog.getByRole('heading', { name: 'Connect Claude Code' })).toBeFocused();
  await chooseModel(page, 'Model', MODEL);
  return dialog;
}

export async function chooseModel(page: Page, label: string, model: string): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).fill(model);
  await page.getByRole('option', { name: model, exact: true }).click();
}

export function change(dialog: Locator): Locator {
  return dialog.getByRole('button', { name: 'Make this change' });
}
