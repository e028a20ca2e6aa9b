import type { Block } from './block-list.ts';

/** The references between the blocks of an answer: link targets and note numbers. */
export interface References {
  readonly links: ReadonlyMap<string, string>;
  readonly footnotes: ReadonlyMap<string, number>;
}

const NONE: References = { links: new Map(), footnotes: new Map() };
const DEFINITION = /^ {0,3}\[(?!\^)(?<label>[^[\]]{1,200})\]:[ \t]*\S.*$/gmu;
const NOTE = /^ {0,3}\[\^(?<label>[^\]\s]{1,200})\]:/u;
const USE = /\[(?<label>[^[\]\n]{1,200})\]/gu;

/** Collects the references of all blocks. */
export function collectReferences(blocks: readonly Block[]): References {
  const links = new Map<string, string>();
  const defined = new Set<string>();
  for (const { kind, text } of blocks) {
    if (kind === 'prose' && /^ {0,3}\[/u.test(text)) addLinks(links, text);
    const label = kind === 'note' ? footnoteLabel(text) : null;
    if (label !== null) defined.add(label);
  }
  if (links.size === 0 && defined.size === 0) return NONE;
  return { links, footnotes: numberFootnotes(blocks, defined) };
}

function addLinks(links: Map<string, string>, text: string): void {
  for (const { 0: line, groups } of text.matchAll(DEFINITION)) {
    const label = plain(groups?.['label'] ?? '');
    if (!links.has(label)) links.set(label, line);
  }
}

/** Normalizes the label of a note for comparison. */
export function footnoteLabel(text: string): string | null {
  const label = NOTE.exec(text)?.groups?.['label'];
  return label === undefined ? null : plain(label);
}

/** Numbers the notes in the order of their first use. */
function numberFootnotes(
  blocks: readonly Block[],
  defined: ReadonlySet<string>,
): Map<string, number> {
  const numbers = new Map<string, number>();
  if (defined.size === 0) return numbers;
  for (const { kind, text } of blocks) {
    if (kind === 'code' || kind === 'math' || kind === 'note') continue;
    for (const label of findUses(text)) {
      const note = label.startsWith('^') ? label.slice(1) : null;
      if (note !== null && defined.has(note) && !numbers.has(note)) {
        numbers.set(note, numbers.size + 1);
      }
    }
  }
  return numbers;
}

function findUses(text: string): readonly string[] {
  if (!text.includes('[')) return [];
  return [...text.matchAll(USE)].map(({ groups }) => plain(groups?.['label'] ?? ''));
}

/** Returns the definitions to append to a block so that its links and notes resolve; empty for almost all blocks. */
export function definitionsFor(text: string, { links, footnotes }: References): string {
  if (links.size === 0 && footnotes.size === 0) return '';
  const lines = findUses(text).flatMap((label) => {
    const number = label.startsWith('^') ? footnotes.get(label.slice(1)) : undefined;
    return number === undefined ? (links.get(label) ?? []) : `[${label}]: ${number}`;
  });
  return [...new Set(lines)].join('\n');
}

function plain(label: string): string {
  return label.trim().replace(/\s+/gu, ' ').toLowerCase();
}
