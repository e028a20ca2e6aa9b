/** A piece of HTML in which every text from outside is escaped. */
export class Markup {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/** What stands in HTML: a text or a number, which is escaped, other pieces of HTML, or nothing. */
export type Content = string | number | null | Markup | readonly Content[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
/** Matches the control characters that a page must not have, or shows as nothing. */
const CONTROL = /[^\P{Cc}\t\n\r]/gu;

/** Makes a piece of HTML: the literal parts are taken as they are, and nothing else is. */
export function markup(literals: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  const pieces = literals.map((literal, at) => literal + toSource(contents[at] ?? null));
  return new Markup(pieces.join(''));
}

function toSource(content: Content): string {
  if (content === null) return '';
  if (content instanceof Markup) return content.source;
  if (typeof content === 'string') return escape(content);
  return typeof content === 'number' ? String(content) : content.map(toSource).join('');
}

function escape(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(CONTROL, '\uFFFD')
    .replaceAll(/[&<>"']/gu, (sign) => ESCAPES[sign] ?? '');
}

/** Shows something below a line that opens and closes it. */
export function fold(summary: Content, content: Content): Markup {
  return markup`<details><summary>${summary}</summary>${content}</details>`;
}

/** Shows a text as it is, with its line breaks. */
export function block(text: string): Markup {
  // The first line break after the tag does not count.
  return markup`<pre>\n${text}</pre>`;
}

/** Lists names with what belongs to them; those without a text are left out. */
export function facts(rows: readonly (readonly [name: string, content: Content])[]): Markup | null {
  const shown = rows.filter(([, content]) => content !== null && content !== '');
  if (shown.length === 0) return null;
  return markup`<dl class="facts">${shown.map(
    ([name, content]) => markup`<div><dt>${name}</dt><dd>${content}</dd></div>`,
  )}</dl>\n`;
}

/** One part of a whole. `text`: its amount for people. */
interface Share {
  readonly name: string;
  readonly amount: number;
  readonly text: string;
}

/** Shows the parts of a whole, at most four, as a bar with a legend; nothing when there is none. */
export function shareBar(title: string, shares: readonly Share[]): Markup | null {
  const total = shares.reduce((sum, { amount }) => sum + amount, 0);
  if (total <= 0) return null;
  const present = shares
    .map((share, at) => ({ ...share, at, percent: Math.round((100 * share.amount) / total) }))
    .filter(({ amount }) => amount > 0);
  const bar = present.map(
    ({ at, amount }) =>
      markup`<span class="share${at}" style="flex-grow:${(amount / total).toFixed(4)}"></span>`,
  );
  const legend = present.map(
    ({ at, name, text, percent }) =>
      markup`<li class="share${at}">${name} <b>${text}</b> ${percent < 1 ? '< 1' : percent} %</li>`,
  );
  return markup`<div class="shares"><p class="label">${title}</p>
<div class="bar" aria-hidden="true">${bar}</div><ul>${legend}</ul></div>\n`;
}
