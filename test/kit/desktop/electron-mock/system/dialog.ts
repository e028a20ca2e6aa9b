import type {
  Dialog,
  MessageBoxReturnValue,
  OpenDialogReturnValue,
  SaveDialogReturnValue,
} from 'electron';
import { strictly } from '../strict-mock.ts';
import type { DialogAsked, DialogChoice } from '../transport/messages.ts';
import { afterReady } from '../readiness.ts';
import { stage } from '../test-side.ts';
import { BrowserWindow } from '../windows.ts';

async function showMessageBox(...args: readonly unknown[]): Promise<MessageBoxReturnValue> {
  const { button, checked } = await ask('message', args);
  return { response: button, checkboxChecked: checked };
}

async function showOpenDialog(...args: readonly unknown[]): Promise<OpenDialogReturnValue> {
  const { paths } = await ask('open', args);
  return { canceled: paths.length === 0, filePaths: [...paths] };
}

async function showSaveDialog(...args: readonly unknown[]): Promise<SaveDialogReturnValue> {
  const { paths } = await ask('save', args);
  return { canceled: paths.length === 0, filePath: paths[0] ?? '' };
}

/** A window may come before the options. */
async function ask(kind: DialogAsked['kind'], args: readonly unknown[]): Promise<DialogChoice> {
  afterReady('dialog cannot be shown');
  const options = args.findLast((arg) => !(arg instanceof BrowserWindow));
  const window = args.find((arg) => arg instanceof BrowserWindow)?.id ?? null;
  return await stage.ask('dialog', { kind, options: Object(options), window });
}

/** Their answers are the test's. */
export const dialog = strictly('dialog', {
  showMessageBox,
  showOpenDialog,
  showSaveDialog,
  showErrorBox(title: string, content: string): void {
    void stage.ask('dialog', { kind: 'error', options: { title, content }, window: null });
  },
} satisfies Partial<Dialog>);
