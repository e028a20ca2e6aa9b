import type { Reporter, TestCase } from 'vitest/node';
import { reportRepeated } from './repeated.ts';

/** Names the tests that passed only when repeated. */
class VitestReporter implements Reporter {
  readonly #names: string[] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky === true)
      this.#names.push(`${test.module.relativeModuleId}: ${test.fullName}`);
  }

  onTestRunEnd(): void {
    reportRepeated('vitest', this.#names);
  }
}

// oxlint-disable-next-line import/no-default-export -- Vitest loads it as that
export default VitestReporter;
