import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter';
import { NOT_RUN } from './electron-binary.ts';

/** Reports at the end how many tests did not run because Electron itself is missing. */
class NotRun implements Reporter {
  #count = 0;

  onTestEnd(test: TestCase, { status }: TestResult): void {
    if (status === 'skipped' && test.annotations.some((note) => note.description === NOT_RUN)) {
      this.#count += 1;
    }
  }

  onEnd(): void {
    if (this.#count > 0) console.log(`${this.#count} tests in Electron itself ${NOT_RUN}`);
  }

  printsToStdio(): boolean {
    return false;
  }
}

// oxlint-disable-next-line import/no-default-export -- Playwright loads it as that
export default NotRun;
