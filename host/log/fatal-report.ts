import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const NAME = 'engine-fatal.json';

/** These parts of a report are read (Node.js documentation, "Diagnostic report"). */
const Report = z.object({
  header: z.object({ event: z.string(), processId: z.number() }),
});

/** Has Node write a report beside the log when V8 ends this process, as it does when memory runs out: no code of ours runs any more then. */
export function reportFatalErrors(logFile: string): void {
  Object.assign(process.report, {
    reportOnFatalError: true,
    directory: dirname(logFile),
    filename: NAME,
    compact: true,
    excludeEnv: true,
    excludeNetwork: true,
  });
}

/** Why V8 ended a process, in its words; `null` when it did not, or left no report. The report is removed. */
export function consumeFatalReport(logFile: string, pid: number | undefined): string | null {
  const file = join(dirname(logFile), NAME);
  try {
    const { header } = Report.parse(JSON.parse(readFileSync(file, 'utf8')));
    rmSync(file);
    return header.processId === pid ? header.event : null;
  } catch {
    // There is none, or it was cut off.
    return null;
  }
}
