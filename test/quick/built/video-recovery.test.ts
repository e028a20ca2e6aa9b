import { describe, expect } from 'vitest';
import { isVideo, test } from '../../kit/videos/video-test.ts';

describe.concurrent('where no Gatehouse runs', () => {
  test('a command that was killed in the middle loses nothing, and watch goes on without a second order', async ({
    terminal,
    order,
    orders,
  }) => {
    const args = await order('A fox [scenario render-ms=9000]', ['--wait']);
    {
      await using waiting = terminal.begin(args);
      await waiting.errorSays('rendering');
      waiting.child.kill('SIGKILL');
      expect((await waiting.finished).code).toBeNull();
    }
    const { code, stdout } = await terminal.run(['video', 'watch']);
    expect(code).toBe(0);
    expect(await isVideo(stdout.trim())).toBe(true);
    expect(await orders()).toHaveLength(1);
  });
});
