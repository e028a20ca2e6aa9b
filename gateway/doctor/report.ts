import { arch, release, type } from 'node:os';
import type { Finding } from '../../shared/doctor/finding.ts';
import { hideHomeFolder } from '../../shared/hide-home-folder.ts';
import { formatAdvice, formatSentence } from './finding.ts';

/** What becomes a report. */
export interface ReportParts {
  readonly findings: readonly Finding[];
  /** The state of the running Gatehouse, or why there is none. */
  readonly diagnostics: string;
  /** The home folder, which contains the name of a person. */
  readonly home: string;
  /** Removes keys from a text. */
  readonly redact: (text: string) => string;
}

/** Formats findings and the state of Gatehouse for a bug report, without keys and the name of the home folder. */
export function formatReport({ findings, diagnostics, home, redact }: ReportParts): string {
  const lines = findings.map((finding) => {
    const advice = formatAdvice(finding);
    const { state } = finding;
    const mark = state === 'unknown' ? '?' : state;
    const text = formatSentence(finding).replaceAll('\n', '\n      ');
    return `${mark.padEnd(4)}  ${text}\n${advice === '' ? '' : `      ${advice}\n`}`.trimEnd();
  });
  const machine = `Node.js ${process.version}, ${type()} ${release()} (${arch()})`;
  const parts = [machine, lines.join('\n'), diagnostics];
  return redact(hideHomeFolder(`${parts.join('\n\n').trimEnd()}\n`, home));
}
