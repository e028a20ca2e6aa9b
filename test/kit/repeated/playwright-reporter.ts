import type { FullConfig, Reporter, Suite, TestCase } from '@playwright/test/reporter';
import { reportRepeated } from './repeated.ts';

/** Names the tests that passed only when repeated. */
class PlaywrightReporter implements Reporter {
  #all: Suite | null = null;

  onBegin(_: FullConfig, all: Suite): void {
    this.#all = all;
  }

  onEnd(): void {
    const flaky = (this.#all?.allTests() ?? []).filter((test) => test.outcome() === 'flaky');
    reportRepeated('playwright', flaky.map(nameOf));
  }

  printsToStdio(): boolean {
    return false;
  }
}

/** The project, the file and the title of a test. */
function nameOf(test: TestCase): string {
  return test.titlePath().filter(Boolean).join(' › ');
}

// oxlint-disable-next-line import/no-default-export -- Playwright loads it as that
export default PlaywrightReporter;
