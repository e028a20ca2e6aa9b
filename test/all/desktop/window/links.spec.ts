import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import type { ContractRouterClient } from '@orpc/contract';
import { expect, test } from '@playwright/test';
import type { DesktopContract } from '../../../../shared/desktop/desktop-contract.ts';
import { DesktopApp } from '../../../kit/desktop/kit.ts';

async function callsOf(app: DesktopApp): Promise<ContractRouterClient<DesktopContract>> {
  return createORPCClient(new RPCLink({ port: await app.connect('gatehouse:desktop') }));
}

test('a link is opened only after a person has seen where it leads, and a trusted site is not asked about again', async () => {
  await using app = await DesktopApp.start();
  const { openLink } = await callsOf(app);

  const opening = openLink({ url: 'https://Example.org/a?q="b"' });
  const meanwhile = openLink({ url: 'https://elsewhere.example/' });
  const asked = await app.dialog();
  expect(asked).toMatchObject({
    window: 1,
    options: {
      message: 'Open this in your browser?',
      detail: 'https://example.org/a?q=%22b%22',
      buttons: ['Open', 'Copy', 'Cancel'],
      cancelId: 2,
    },
  });
  asked.answer({ button: 0, checked: true });
  await Promise.all([opening, meanwhile]);
  await openLink({ url: 'https://example.org/more' });

  const copying = openLink({ url: 'https://example.org:8443/' });
  (await app.dialog()).answer({ button: 1, checked: true });
  await copying;
  const leaving = openLink({ url: 'https://example.org:8443/' });
  (await app.dialog()).answer({ button: 2, checked: true });
  await leaving;
  const writing = openLink({ url: 'mailto:a@example.org?subject=Hi' });
  const mail = await app.dialog();
  expect(mail.options).toMatchObject({ message: 'Open this in your mail program?' });
  expect(mail.options).not.toHaveProperty('checkboxLabel');
  mail.answer({ button: 0 });
  await writing;

  const acts = app.snapshot.calls.filter(({ name }) => /openExternal|writeText/u.test(name));
  expect(acts.map(({ name, args }) => [name, args[0]])).toEqual([
    ['shell.openExternal', 'https://example.org/a?q=%22b%22'],
    ['shell.openExternal', 'https://example.org/more'],
    ['clipboard.writeText', 'https://example.org:8443/'],
    ['shell.openExternal', 'mailto:a@example.org?subject=Hi'],
  ]);
});

test('a link that is neither web nor mail is refused without a question', async () => {
  await using app = await DesktopApp.start();
  const { openLink } = await callsOf(app);
  for (const url of [
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://bank.example@evil.example/',
  ]) {
    await expect(openLink({ url })).rejects.toMatchObject({
      code: 'REFUSED',
      message: expect.stringMatching(/^Only links to the web and to mail/u),
    });
  }
  expect(app.snapshot.dialogs).toEqual([]);
  expect(app.snapshot.calls.filter(({ name }) => name === 'shell.openExternal')).toEqual([]);
});
