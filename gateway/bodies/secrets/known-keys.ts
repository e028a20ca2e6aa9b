import { lintSource } from '@secretlint/core';
import { secretLintProfiler } from '@secretlint/profiler';
import { creator } from '@secretlint/secretlint-rule-preset-recommend';

/** A part of a text, by its offsets. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

// It would keep 62 entries of each text for ever, 14 kB.
secretLintProfiler.setEnabled(false);

const CONFIG = { rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: creator }] };

/**
 * Finds texts that have the form of a key of a well-known service, by the recommended rules of Secretlint. The ranges are in
 * their order and do not overlap.
 */
export async function findKnownKeys(text: string): Promise<Range[]> {
  const { messages } = await lintSource({
    source: { content: text, filePath: 'body.txt', ext: '.txt', contentType: 'text' },
    options: { config: CONFIG, noPhysicFilePath: true },
  });
  const found = messages.map(({ range: [start, end] }) => ({ start, end }));
  const ranges: Range[] = [];
  for (const range of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = ranges.at(-1);
    if (last === undefined || range.start >= last.end) ranges.push(range);
    else if (range.end > last.end)
      ranges[ranges.length - 1] = { start: last.start, end: range.end };
  }
  return ranges;
}

/** Lists the different texts that {@link findKnownKeys} finds, the longest first: a cut key is the beginning of the whole one. */
export async function listKnownKeys(text: string): Promise<readonly string[]> {
  const ranges = await findKnownKeys(text);
  const keys = new Set(ranges.map(({ start, end }) => text.slice(start, end)));
  return [...keys].toSorted((one, other) => other.length - one.length);
}
