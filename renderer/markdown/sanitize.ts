import { defaultSchema, type Options } from 'rehype-sanitize';

/** The allowed elements of an answer. Elements that can act, load, or imitate a part of this page are excluded. */
const ALLOWED_ELEMENTS: readonly string[] = (
  'a abbr b blockquote br code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i img input ins kbd li mark ol p pre q rp rt ruby s ' +
  'samp small span strike strong sub summary sup table tbody td tfoot th thead tr tt u ul var'
).split(' ');

const UNKNOWN_TAG = new RegExp(`<(?!/?(?:${ALLOWED_ELEMENTS.join('|')})(?:[\\s/>]|$)|!--)`, 'giu');

/** Escapes every HTML tag that is not allowed, so that it is shown as text. */
export function escapeUnknownTags(html: string): string {
  return html.replace(UNKNOWN_TAG, '&lt;');
}

/** The second check, which removes whatever the first one missed: identifiers, styles, and URLs other than link targets. */
export const SANITIZE_SCHEMA: Options = {
  ...defaultSchema,
  tagNames: [...ALLOWED_ELEMENTS],
  strip: ['script', 'style', 'template', 'title'],
  attributes: {
    '*': ['align', 'dir', 'lang', 'title'],
    a: ['href'],
    code: [['className', /^language-[^\s]+$/u, 'math-inline', 'math-display']],
    details: ['open'],
    img: ['alt', 'src'],
    input: [['type', 'checkbox'], ['disabled', true], 'checked'],
    li: ['value', ['className', 'task-list-item']],
    ol: ['start', 'reversed', ['className', 'contains-task-list']],
    sup: ['dataNote'],
    td: ['colSpan', 'rowSpan'],
    th: ['colSpan', 'rowSpan', 'scope'],
    ul: [['className', 'contains-task-list']],
  },
  protocols: { href: ['http', 'https', 'mailto'], src: ['http', 'https'] },
};
