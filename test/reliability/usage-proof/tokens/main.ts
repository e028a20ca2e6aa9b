import { formatTable, toPercent } from '../report.ts';
import { measureTokens, type TokenFinding } from './measure-tokens.ts';

const { input, output } = await measureTokens(1);
const toLines = (findings: readonly TokenFinding[]) =>
  findings.map(({ kind, of, first, learned }) => [
    kind,
    of.toLocaleString('en'),
    ...[first.median, first.p95, learned.median, learned.p95].map(toPercent),
  ]);
const columns = ['texts', 'first: median', '95 %', 'learned: median', '95 %'];
// docs/usage.md has these figures.
process.stdout.write(
  `${formatTable(['input of', ...columns], toLines(input))}\n\n${formatTable(['output of streams that were cut', ...columns], toLines(output))}\n`,
);
