import {
  type ComparedRequest,
  compareExchanges,
  type StoredExchange,
} from '../../../shared/compare/compare-exchanges.ts';
import type { ComparedMessage } from '../../../shared/compare/compare-messages.ts';
import { type Piece, shortenSame } from '../../../shared/compare/diff-text.ts';
import { formatCount, pluralize } from '../../../shared/format.ts';
import { formatJson } from '../../../shared/parse-bodies/json.ts';
import type { CommandContext } from '../../command-context.ts';
import { escapeAnswer, escapeControls, formatTimestamp } from '../../output/format.ts';

type Terminal = CommandContext['terminal'];

const NAME_WIDTH = 16;
const INDENT = '  ';

/** Prints what differs between two exchanges: removed as `[-…-]`, added as `{+…+}`, each in its colour. */
export function printDiff(
  { terminal }: CommandContext,
  before: StoredExchange,
  after: StoredExchange,
): void {
  const { facts, request, answer, isIncomplete } = compareExchanges(before, after);
  for (const [name, { exchange }] of [
    ['Before', before],
    ['After', after],
  ] as const) {
    terminal.print(
      `${name.padEnd(NAME_WIDTH)}${exchange.id}, ${formatTimestamp(exchange.startedAt)}`,
    );
  }
  const changed = facts.filter((fact) => fact.before !== fact.after);
  for (const fact of changed) {
    const [old, now] = [escapeControls(fact.before), escapeControls(fact.after)];
    terminal.print(`${fact.name.padEnd(NAME_WIDTH)}${terminal.red(old)} → ${terminal.green(now)}`);
  }
  if (isIncomplete) terminal.print('The middle of a long body is not kept, so it is not compared.');
  printTitle(terminal, 'Request');
  if (request === null) terminal.print('One of the requests is not kept.');
  else if (request.kind === 'text') printPieces(terminal, request.pieces);
  else printRequest(terminal, request);
  printTitle(terminal, 'Answer');
  if (answer === null) terminal.print('One of the responses is not kept.');
  else printPieces(terminal, answer);
}

function printTitle(terminal: Terminal, title: string): void {
  terminal.print('');
  terminal.print(terminal.bold(title));
}

function printRequest(
  terminal: Terminal,
  { parameters, tools, messages, rebuilt }: Extract<ComparedRequest, { kind: 'conversation' }>,
): void {
  if (rebuilt.before !== null) terminal.print(`Before: ${rebuilt.before}`);
  if (rebuilt.after !== null) terminal.print(`After: ${rebuilt.after}`);
  for (const { path, before, after } of parameters) {
    terminal.print(`Parameter ${escapeControls(path)}:`);
    printPieces(terminal, [
      ...(before === undefined ? [] : [{ kind: 'removed' as const, text: formatJson(before) }]),
      ...(after === undefined ? [] : [{ kind: 'added' as const, text: formatJson(after) }]),
    ]);
  }
  for (const { name, kind, pieces } of tools) {
    terminal.print(`Tool ${escapeControls(name)}, ${kind}${pieces.length === 0 ? '' : ':'}`);
    printPieces(terminal, pieces);
  }
  for (const message of messages) printMessage(terminal, message);
}

function printMessage(terminal: Terminal, message: ComparedMessage): void {
  if (message.kind === 'same') {
    const { count } = message;
    terminal.print(
      terminal.dim(`${pluralize(count, 'message')} ${count === 1 ? 'is' : 'are'} the same`),
    );
    return;
  }
  terminal.print(`Message of ${escapeControls(message.role)}, ${message.kind}:`);
  printPieces(terminal, message.pieces);
}

function printPieces(terminal: Terminal, pieces: readonly Piece[]): void {
  if (pieces.length === 0) return;
  if (pieces.every(({ kind }) => kind === 'same')) {
    terminal.print(terminal.dim(`${INDENT}the same`));
    return;
  }
  const text = shortenSame(pieces)
    .map(({ kind, text: shown, omitted, rest }) => {
      if (kind === 'removed') return markLines(shown, (line) => terminal.red(`[-${line}-]`));
      if (kind === 'added') return markLines(shown, (line) => terminal.green(`{+${line}+}`));
      const gap = omitted === 0 ? '' : terminal.dim(`[… ${formatCount(omitted)} characters …]`);
      return `${escapeAnswer(shown)}${gap}${escapeAnswer(rest)}`;
    })
    .join('');
  for (const line of text.split('\n')) terminal.print(`${INDENT}${line}`);
}

/** Marks each line of a text by itself, so that no colour runs over the end of a line. */
function markLines(text: string, mark: (line: string) => string): string {
  return escapeAnswer(text)
    .split('\n')
    .map((line, place, lines) => (line === '' && lines.length > 1 ? '' : mark(line)))
    .join('\n');
}
