import type { Page } from '@playwright/test';
import type { Repositories } from '../../../../gateway/gateway.ts';
import { openHistory } from '../../../../gateway/history/history.ts';
import { SANDBOX_ID } from '../../../../shared/sandbox-id.ts';
import { anExchange } from '../../history/an-exchange.ts';

const AT = Date.UTC(2026, 10, 20, 12);

/** Three exchanges of a minute each: one as in the export, one with other tokens, and one that it does not have. */
export async function seed({ store, host }: Repositories): Promise<void> {
  const history = openHistory({
    store,
    now: host.now,
    redact: String,
    log: host.log,
    getRetention: null,
  });
  const cost = { amount: 500_000, source: 'reported', priceId: null };
  for (let place = 0; place < 3; place += 1) {
    const startedAt = AT + place * 60_000;
    history.record(
      anExchange(`ex-${place}`.padEnd(19, '0'), { startedAt, cost, service: SANDBOX_ID }),
    );
  }
  await history.close();
}

export async function choose(
  page: Page,
  content: string | Buffer,
  name = 'export.csv',
): Promise<void> {
  const buffer = Buffer.from(content);
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer });
}
