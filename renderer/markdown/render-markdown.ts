import type { ReactNode } from 'react';
import ReactMarkdown, { type Components, type Options } from 'react-markdown';
import rehypeRaw from 'rehype-raw';
import rehypeSanitize from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import remarkMath from 'remark-math';
import { toSafeUrl } from './safe-url.ts';
import { normalizeMath } from './normalize-math.ts';
import { SANITIZE_SCHEMA, escapeUnknownTags } from './sanitize.ts';

interface RenderOptions {
  readonly text: string;
  /** Markdown of the link and note definitions that the block refers to. */
  readonly below: string;
  readonly components: Components;
}

/** Renders a block of Markdown as elements. `null` when formatting it would take too long or nest too deeply. */
export function renderMarkdown({ text, below, components }: RenderOptions): ReactNode {
  if (isTooComplex(text)) return null;
  const source = normalizeMath(text);
  try {
    return ReactMarkdown({
      children: below === '' ? source : `${source}\n\n${below}`,
      components,
      remarkPlugins: [[remarkGfm, { singleTilde: false }], remarkMath],
      remarkRehypeOptions: { allowDangerousHtml: true, handlers: createHandlers(below) },
      rehypePlugins: source.includes('<') ? WITH_HTML : WITHOUT_HTML,
      urlTransform: (address) => toSafeUrl(address) ?? '',
    });
  } catch {
    // The text nests too deeply: rendering overflowed the stack. The caller shows the source instead.
    return null;
  }
}

type RehypePlugins = NonNullable<Options['rehypePlugins']>;
const WITHOUT_HTML: RehypePlugins = [[rehypeSanitize, SANITIZE_SCHEMA]];
const WITH_HTML: RehypePlugins = [rehypeRaw, ...WITHOUT_HTML];

type Handlers = NonNullable<NonNullable<Options['remarkRehypeOptions']>['handlers']>;

function createHandlers(below: string): Handlers {
  return {
    footnoteDefinition: () => undefined,
    footnoteReference: (_state, { identifier }: { identifier: string }) => {
      return element('sup', { dataNote: findFootnoteNumber(below, identifier) }, identifier);
    },
    html: (_state, { value }: { value: string }) => ({
      type: 'raw',
      value: escapeUnknownTags(value),
    }),
    inlineMath: (_state, node: MathNode) =>
      element(
        'code',
        { className: [isDisplay(node) ? 'math-display' : 'math-inline'] },
        node.value,
      ),
    math: (_state, { value }: { value: string }) =>
      element('code', { className: ['math-display'] }, value),
  };
}

function findFootnoteNumber(below: string, note: string): string {
  const start = `[^${note.toLowerCase()}]: `;
  const line = below.split('\n').find((one) => one.startsWith(start));
  return line?.slice(start.length) ?? note;
}

interface MathNode {
  readonly value: string;
  readonly position?: { readonly start: Place; readonly end: Place };
}
interface Place {
  readonly offset?: number;
}

/** Whether a formula was written with two dollar signs on each side. */
function isDisplay({ value, position }: MathNode): boolean {
  const from = position?.start.offset ?? 0;
  const to = position?.end.offset ?? 0;
  return to - from - value.length >= 4;
}

function element(tagName: string, properties: Record<string, string | string[]>, text: string) {
  return {
    type: 'element' as const,
    tagName,
    properties,
    children: [{ type: 'text' as const, value: text }],
  };
}

const MAX_BRACKETS = 1500;
const MAX_MARKS = 4000;
const MAX_TAGS = 600;
const MAX_LEVELS = 40;

/** Matches texts whose rendering takes more than linear time, or a stack as deep as their nesting. */
function isTooComplex(text: string): boolean {
  return (
    count(text, /[[\]]/gu) > MAX_BRACKETS ||
    count(text, /[*_~`$]/gu) > MAX_MARKS ||
    count(text, /</gu) > MAX_TAGS ||
    new RegExp(
      `^[ \\t]*(?:(?:>|[-+*](?=\\s)|\\d{1,9}[.)](?=\\s))[ \\t]*){${MAX_LEVELS}}`,
      'mu',
    ).test(text) ||
    /^[ \t]{200}[ \t]*\S/mu.test(text)
  );
}

function count(text: string, what: RegExp): number {
  return text.match(what)?.length ?? 0;
}
