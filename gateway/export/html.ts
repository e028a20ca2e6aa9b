import { pluralize } from '../../shared/format.ts';
import { describeAgain, SEQUENCE_NAMES, type StepGroup } from '../../shared/run/describe-run.ts';
import type { CostedRun, RunSequence } from '../../shared/run/run.ts';
import type { Formatter } from './formatter.ts';
import { fold, Markup, markup } from './page/markup.ts';
import { type OrderedStep, orderSteps } from './page/order-steps.ts';
import { STYLE } from './page/style.ts';
import { formatTime, viewExchange } from './page/view-exchange.ts';
import type { Shown } from './page/view-messages.ts';
import { nameRun, viewContents, viewRun } from './page/view-run.ts';

export interface HtmlOptions {
  /** Version of Gatehouse. */
  readonly version: string;
  /** When the page is made, in Unix milliseconds. */
  readonly now: number;
  /** The currency of costs, an ISO 4217 code. */
  readonly currency: string;
  /** The run that the page shows as a tree of its steps; `null` for a list of exchanges. */
  readonly run: CostedRun | null;
}

/** Nothing is loaded, and nothing runs. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/**
 * Formats exchanges as one page that needs nothing else: no script, no address is loaded, and images are shown only where their bytes
 * are stored. Texts are shown as they are, Markdown too, so that none of them can become markup or a link. Messages that the step before
 * has, too, are left out.
 */
export function createHtmlFormatter(options: HtmlOptions): Formatter {
  const { run, currency } = options;
  const ordered = run === null ? [] : orderSteps(run);
  const places = new Map<string, OrderedStep>(ordered.map((one) => [one.step.id, one]));
  const open = new OpenSequences();
  const seen: Parameters<typeof viewExchange>[1]['seen'] = new Map();
  const startedAt = run?.run.startedAt ?? 0;
  let masked = 0;
  let isAtMost = false;
  return {
    begin: viewBegin(options, ordered).source,
    format: (stored) => {
      const place = places.get(stored.exchange.id) ?? null;
      places.delete(stored.exchange.id);
      const tags = open.enter(place?.path ?? [], place?.group ?? null);
      const exchange = viewExchange(stored, {
        ordered: place,
        before: open.before,
        seen,
        startedAt,
        currency,
      });
      masked += exchange.masked;
      isAtMost ||= exchange.isAtMost;
      open.leave(exchange.shown);
      return markup`${tags}${exchange.view}`.source;
    },
    end: () =>
      markup`${open.enter([], null)}${viewEnd(isAtMost ? `At most ${countSecrets(masked)}` : countSecrets(masked), [...places.values()])}`
        .source,
  };
}

/** The sequences whose element is open in the page, and what a reader has seen of each. */
class OpenSequences {
  readonly #open: { readonly sequence: RunSequence; shown: Shown | null }[] = [];
  /** The steps that failed again, whose fold is open. */
  #group: StepGroup | null = null;
  /** What was shown last outside of all sequences. */
  #latest: Shown | null = null;

  /** What was shown before in the innermost open sequence. */
  get before(): Shown | null {
    const innermost = this.#open.at(-1);
    return innermost === undefined ? this.#latest : innermost.shown;
  }

  /** Closes and opens elements until those of this path are open, and within them the fold of a group. */
  enter(path: readonly RunSequence[], group: StepGroup | null): Markup {
    const isSame = group === this.#group;
    const foldEnd = isSame || this.#group === null ? null : markup`</details>\n`;
    const foldStart =
      isSame || group === null
        ? null
        : markup`<details class="again"><summary>${describeAgain(group)}</summary>\n`;
    this.#group = group;
    let common = 0;
    while (common < path.length && this.#open[common]?.sequence === path[common]) common += 1;
    const closed = this.#open.splice(common).map(() => markup`</div>\n`);
    const opened = path.slice(common).map((sequence, at) => {
      this.#open.push({ sequence, shown: null });
      return openSequence(sequence, common + at);
    });
    return markup`${foldEnd}${closed}${opened}${foldStart}`;
  }

  leave(shown: Shown): void {
    const innermost = this.#open.at(-1);
    if (innermost === undefined) this.#latest = shown;
    else innermost.shown = shown;
  }
}

function openSequence({ kind }: RunSequence, depth: number): Markup {
  const name = SEQUENCE_NAMES[kind];
  if (depth === 0) return markup`<div>\n<h2>${name}</h2>\n`;
  return markup`<div class="agent">\n${depth === 1 ? markup`<h4>${name}</h4>` : markup`<h6>${name}</h6>`}\n`;
}

function viewBegin(
  { version, now, currency, run }: HtmlOptions,
  ordered: readonly OrderedStep[],
): Markup {
  const title = run === null ? 'Requests and responses' : nameRun(run);
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>${title} – Gatehouse</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<header>
<h1>${title}</h1>
${run === null ? null : viewRun(run, currency)}<p class="dim">Made with Gatehouse ${version}, ${formatTime(now)}. Keys are masked; <a href="#about">what that means</a>.</p>
${run === null ? null : viewContents(ordered)}</header>
<main>
`;
}

function countSecrets(count: number): string {
  return count === 0 ? 'No secret is' : pluralize(count, 'secret is', 'secrets are');
}

function viewEnd(count: string, missing: readonly OrderedStep[]): Markup {
  const lacking = missing.map(
    ({ step, number }) =>
      markup`<p id="${step.id}">Step ${number} (${step.id}) is not in this file: the history has it no more, or the filter leaves it out.</p>\n`,
  );
  return markup`</main>
<footer>
${lacking.length > 0 && lacking.length <= 5 ? lacking : lacking.length === 0 ? null : fold(`${pluralize(lacking.length, 'step')} not in this file`, lacking)}<p id="about">${count} masked in these requests and responses. Masked are the keys that Gatehouse knew when this file was made, and texts with the form of a key of a well-known service. Another secret may still be here, like everything else that the agent read and wrote.</p>
</footer>
</body>
</html>
`;
}
