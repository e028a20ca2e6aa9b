import type {
  ConnectionPreview,
  DiffLine,
  FileChange,
} from '../../../shared/connect/connection.ts';
import { escapeControls } from '../../output/format.ts';
import type { Terminal } from '../../output/terminal.ts';

const TITLES: Readonly<Record<FileChange['change'], string>> = {
  create: 'will be created',
  edit: 'will be changed',
  delete: 'will be deleted',
  none: 'stays as it is',
};

/** Prints the change of each file as a diff. */
export function printPreview(terminal: Terminal, { files, notes }: ConnectionPreview): void {
  for (const file of files) {
    terminal.print(terminal.bold(`${escapeControls(file.path)} (${TITLES[file.change]})`));
    for (const line of file.lines) terminal.print(formatLine(terminal, line));
    terminal.print('');
  }
  for (const note of notes) terminal.printText(note);
}

function formatLine(terminal: Terminal, { kind, text }: DiffLine): string {
  const clean = escapeControls(text);
  switch (kind) {
    case 'added':
      return terminal.green(`+ ${clean}`);
    case 'removed':
      return terminal.red(`- ${clean}`);
    case 'same':
      return `  ${clean}`;
    case 'gap':
      return terminal.dim('  …');
  }
}
