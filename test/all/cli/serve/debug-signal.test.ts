import { expect, test } from 'vitest';
import { PROGRAMS } from '../../../kit/process/program.ts';
import { openTestMachine } from '../../../kit/process/test-machine.ts';

test.skipIf(process.platform === 'win32').each(PROGRAMS)(
  'SIGUSR1 opens no debugger in a Gatehouse that serves ($how)',
  async ({ program }) => {
    await using terminal = await openTestMachine(program);
    // Any free port: the usual one may be another program's.
    const environment = { NODE_OPTIONS: '--inspect-port=0' };
    await using serving = await terminal.serve([], { environment });
    for (let times = 0; times < 20; times += 1) {
      serving.child.kill('SIGUSR1');
      const answer = await fetch(`http://127.0.0.1:${serving.port}/health`);
      expect(answer.status).toBe(200);
    }
    const { code, stderr } = await serving.stop('SIGTERM');
    expect(stderr).not.toMatch(/debugger|ws:\/\//iu);
    expect(code).toBe(0);
  },
);
