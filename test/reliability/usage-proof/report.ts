import type { ProofResult } from './check/check-proof.ts';
import type { EstimateError } from './check/estimates.ts';
import type { LimitFinding } from './check/limits.ts';

/** Formats the figures of a proof as tables of Markdown. */
export function formatResult({ counts, estimates, limits, errors }: ProofResult): string {
  const facts = Object.entries(counts).map(([name, count]) => [name, count.toLocaleString('en')]);
  return [
    formatTable(['', ''], [...facts, ['differences', errors.length.toLocaleString('en')]]),
    formatTable(
      [
        'estimated because',
        'rows',
        'input: median',
        '95 %',
        'sum',
        'output: median',
        '95 %',
        'sum',
      ],
      estimates.map(({ cause, input, output }) => [
        cause,
        input.of.toLocaleString('en'),
        ...toCells(input),
        ...toCells(output),
      ]),
    ),
    formatTable(
      ['limit', 'runs', 'exceeded in', 'by at most', 'short by then', 'of the amount'],
      [...Map.groupBy(limits, ({ name }) => name)].map(([name, found]) => formatLimit(name, found)),
    ),
  ].join('\n\n');
}

function toCells({ median, p95, sum }: EstimateError): readonly string[] {
  return [median, p95, sum].map(toPercent);
}

function formatLimit(name: string, found: readonly LimitFinding[]): readonly string[] {
  const exceeded = found.filter(({ excess }) => excess > 0);
  const worst = exceeded.reduce<LimitFinding | null>(
    (most, one) => (most === null || one.excess > most.excess ? one : most),
    null,
  );
  return [
    name,
    String(found.length),
    String(exceeded.length),
    (worst?.excess ?? 0).toLocaleString('en'),
    (worst?.shortfall ?? 0).toLocaleString('en'),
    worst === null ? '–' : toPercent(worst.excess / worst.amount),
  ];
}

/** Formats a part of one. */
export function toPercent(part: number): string {
  return `${(100 * part).toFixed(1)} %`;
}

/** Formats a table of Markdown. */
export function formatTable(
  head: readonly string[],
  lines: readonly (readonly string[])[],
): string {
  return [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}
