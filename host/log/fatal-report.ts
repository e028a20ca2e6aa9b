import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const NAME = 'engine-fatal.json';

/** The parts of a report that are read (Node.js documentation, "Diagnostic report"). */
const Report = z.object({
  header: z.object({ event: z.string(), processId: z.number() }),
});

/** Makes Node write a report beside the log when V8 ends this process, as it does when memory runs out: none of our code runs then. */
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

/** Reads V8's reason for ending a process and removes the report; `null` when there is no report. */
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
