import { defaultSchema, type Options } from 'rehype-sanitize';

/** The elements that an answer may be made of. What can act, load, or look like a part of this page is not among them. */
const ALLOWED_ELEMENTS: readonly string[] = (
  'a abbr b blockquote br code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i img input ins kbd li mark ol p pre q rp rt ruby s ' +
  'samp small span strike strong sub summary sup table tbody td tfoot th thead tr tt u ul var'
).split(' ');

const UNKNOWN_TAG = new RegExp(`<(?!/?(?:${ALLOWED_ELEMENTS.join('|')})(?:[\\s/>]|$)|!--)`, 'giu');

/** HTML of which only what may be shown is still HTML; the rest can be read. */
export function escapeUnknownTags(html: string): string {
  return html.replace(UNKNOWN_TAG, '&lt;');
}

/** The second wall: whatever was overlooked above ends here. No identifiers, no styles, no addresses but those of links. */
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
