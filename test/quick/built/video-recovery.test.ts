import { describe, expect } from 'vitest';
import { openSandbox } from '../../../sandbox/server.ts';
import { sandboxEnvironment } from '../../kit/process/test-machine.ts';
import { isVideo, test } from '../../kit/videos/video-test.ts';

describe.concurrent('where no Gatehouse runs', () => {
  test('a command that was killed in the middle loses nothing, and watch goes on without a second order', async ({
    terminal,
    order,
  }) => {
    await using sandbox = await openSandbox();
    const environment = sandboxEnvironment(sandbox);
    const args = await order('A fox [scenario gate=1]', ['--wait']);
    {
      await using waiting = terminal.begin(args, { environment });
      await waiting.errorSays('rendering');
      waiting.child.kill('SIGKILL');
      expect((await waiting.finished).code).toBeNull();
    }
    sandbox.openGate(1);
    const { code, stdout } = await terminal.run(['video', 'watch'], { environment });
    expect(code).toBe(0);
    expect(await isVideo(stdout.trim())).toBe(true);
    expect(sandbox.orders).toHaveLength(1);
  });
});
