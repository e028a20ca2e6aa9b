import type { ReactNode } from 'react';
import ReactMarkdown, { type Components, type Options } from 'react-markdown';
import rehypeRaw from 'rehype-raw';
import rehypeSanitize from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import remarkMath from 'remark-math';
import { addressOf } from './address.ts';
import { withMath } from './math-marks.ts';
import { SAFE, withoutUnknownTags } from './safe.ts';

interface Drawing {
  readonly text: string;
  /** The definitions of the links and notes that it names. */
  readonly below: string;
  readonly components: Components;
}

/** A block of Markdown as elements. `null` when it is made so that formatting it would take too long or go too deep. */
export function draw({ text, below, components }: Drawing): ReactNode {
  if (isHopeless(text)) return null;
  const source = withMath(text);
  try {
    return ReactMarkdown({
      children: below === '' ? source : `${source}\n\n${below}`,
      components,
      remarkPlugins: [[remarkGfm, { singleTilde: false }], remarkMath],
      remarkRehypeOptions: { allowDangerousHtml: true, handlers: handlersWith(below) },
      rehypePlugins: source.includes('<') ? WITH_HTML : WITHOUT_HTML,
      urlTransform: (address) => addressOf(address) ?? '',
    });
  } catch {
    // A stack that ends in the middle of a text is a text that nobody means to be read.
    return null;
  }
}

type RehypePlugins = NonNullable<Options['rehypePlugins']>;
const WITHOUT_HTML: RehypePlugins = [[rehypeSanitize, SAFE]];
const WITH_HTML: RehypePlugins = [rehypeRaw, ...WITHOUT_HTML];

type Handlers = NonNullable<NonNullable<Options['remarkRehypeOptions']>['handlers']>;

function handlersWith(below: string): Handlers {
  return {
    footnoteDefinition: () => undefined,
    footnoteReference: (_state, { identifier }: { identifier: string }) => {
      return element('sup', { dataNote: numberIn(below, identifier) }, identifier);
    },
    html: (_state, { value }: { value: string }) => ({
      type: 'raw',
      value: withoutUnknownTags(value),
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

function numberIn(below: string, note: string): string {
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

/** Whether it was written with two dollars on each side. */
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

const MOST_BRACKETS = 1500;
const MOST_MARKS = 4000;
const MOST_TAGS = 600;
const MOST_LEVELS = 40;

/** Texts that take more than linear time, or a stack as deep as they are. */
function isHopeless(text: string): boolean {
  return (
    count(text, /[[\]]/gu) > MOST_BRACKETS ||
    count(text, /[*_~`$]/gu) > MOST_MARKS ||
    count(text, /</gu) > MOST_TAGS ||
    new RegExp(
      `^[ \\t]*(?:(?:>|[-+*](?=\\s)|\\d{1,9}[.)](?=\\s))[ \\t]*){${MOST_LEVELS}}`,
      'mu',
    ).test(text) ||
    /^[ \t]{200}[ \t]*\S/mu.test(text)
  );
}

function count(text: string, what: RegExp): number {
  return text.match(what)?.length ?? 0;
}
