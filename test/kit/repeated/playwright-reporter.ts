import type { FullConfig, Reporter, Suite, TestCase } from '@playwright/test/reporter';
import { type RepeatedTest, reportRepeated } from './repeated.ts';

/** Names the tests that passed only when repeated. */
class PlaywrightReporter implements Reporter {
  #all: Suite | null = null;

  onBegin(_: FullConfig, all: Suite): void {
    this.#all = all;
  }

  onEnd(): void {
    const flaky = (this.#all?.allTests() ?? []).filter((test) => test.outcome() === 'flaky');
    reportRepeated('playwright', flaky.map(toRepeated));
  }

  printsToStdio(): boolean {
    return false;
  }
}

/** A test by its project, its file and its title. */
function toRepeated(test: TestCase): RepeatedTest {
  const [first] = test.results;
  const name = test.titlePath().filter(Boolean).join(' › ');
  return { name, error: first?.error?.message ?? 'no error is known' };
}

// oxlint-disable-next-line import/no-default-export -- Playwright loads it as that
export default PlaywrightReporter;
