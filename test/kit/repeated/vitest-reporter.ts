import type { Reporter, TestCase } from 'vitest/node';
import { type RepeatedTest, reportRepeated } from './repeated.ts';

/** Names the tests that passed only when repeated. */
class VitestReporter implements Reporter {
  readonly #tests: RepeatedTest[] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky !== true) return;
    const error = test.result().errors?.[0]?.message ?? 'no error is known';
    this.#tests.push({ name: `${test.module.relativeModuleId}: ${test.fullName}`, error });
  }

  onTestRunEnd(): void {
    reportRepeated('vitest', this.#tests);
  }
}

// oxlint-disable-next-line import/no-default-export -- Vitest loads it as that
export default VitestReporter;
