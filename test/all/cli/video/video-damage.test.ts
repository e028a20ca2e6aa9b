import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { test } from '../../../kit/videos/video-test.ts';

function change(dataDir: string, sql: string, id: string): void {
  const database = new DatabaseSync(join(dataDir, 'gatehouse.db'));
  try {
    database.prepare(sql).run(id);
  } finally {
    database.close();
  }
}

/** As a person reads it: in lines of any length. */
function plain(text: string): string {
  return text.replaceAll(/\s+/gu, ' ');
}

test('Damaged videos are counted and named, the sound ones are shown, and only those are ordered', async ({
  terminal,
  order,
  orders,
}) => {
  const ids: string[] = [];
  for (const prompt of ['A hare', 'A fox', 'A hen']) {
    ids.push((await terminal.run(await order(prompt))).stdout.trim());
  }
  const [sound = '', state = '', data = ''] = ids;
  change(terminal.dataDir, "update video_job set state = 'wibble' where id like ? || '%'", state);
  change(terminal.dataDir, "update video_job set data = '{broken' where id like ? || '%'", data);

  const listed = await terminal.run(['video', 'list']);
  expect(listed.code).toBe(0);
  expect(listed.stdout).toContain('A hare');
  expect(listed.stdout).not.toContain('A fox');
  expect(plain(listed.stderr)).toContain('2 videos are damaged in gatehouse.db');
  for (const id of [state, data]) expect(listed.stderr).toContain(id);
  expect(await terminal.json(['video', 'list'])).toMatchObject({
    videos: [{ id: expect.stringContaining(sound) }],
    damaged: expect.arrayContaining([
      expect.stringContaining(state),
      expect.stringContaining(data),
    ]),
  });

  const doctor = await terminal.run(['doctor']);
  expect(doctor.code).toBe(1);
  expect(plain(doctor.stdout)).toContain('2 videos are damaged in gatehouse.db');

  const calls = [
    ['video', 'list', state],
    ['video', 'list', data],
    ['video', 'cancel', state],
    ['video', 'resume', state, '--yes'],
    ['video', 'remove', data],
    ['video', 'get', data],
  ];
  for (const call of calls) {
    const { code, stdout, stderr } = await terminal.run(call);
    expect([call, code]).toEqual([call, 1]);
    expect(plain(stderr)).toMatch(/The video \w+ is damaged in gatehouse\.db/u);
    expect(stdout + stderr).not.toMatch(/TypeError|\n\s+at |error in Gatehouse/u);
  }

  const watched = await terminal.run(['video', 'watch', sound]);
  expect(watched.stdout + watched.stderr).not.toMatch(/TypeError|\n\s+at /u);
  expect(watched.code).toBe(0);
  expect(await orders()).toHaveLength(1);
});

test('Where all videos are damaged, none is said to be missing', async ({ terminal, order }) => {
  const id = (await terminal.run(await order('A fox'))).stdout.trim();
  change(terminal.dataDir, "update video_job set data = '{broken' where id like ? || '%'", id);
  const { stdout, stderr } = await terminal.run(['video', 'list']);
  expect(stdout + stderr).not.toContain('There is no video yet');
  expect(plain(stderr)).toMatch(new RegExp(`The video ${id}\\w* is damaged in gatehouse`, 'u'));
});
