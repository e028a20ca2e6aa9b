import { expect, test } from 'vitest';
import { engineNotifications, screenPath, videoNotifications } from './notifications.ts';

function video(id: string, state: 'done' | 'failed' | 'unsure') {
  return { id, state, request: { prompt: ` A fox ${id} ` } };
}

test('a few videos are told one by one, and each leads to its own', () => {
  expect(videoNotifications([video('1', 'done'), video('2', 'unsure')])).toEqual([
    { title: 'A video is finished', body: 'A fox 1', address: screenPath('videos', 'video', '1') },
    {
      title: 'A video needs your decision',
      body: 'A fox 2',
      address: screenPath('videos', 'video', '2'),
    },
  ]);
});

test('many videos are told at once', () => {
  const jobs = ['1', '2', '3', '4'].map((id) => video(id, id === '1' ? 'failed' : 'done'));
  expect(videoNotifications(jobs)).toEqual([
    {
      title: 'News of 4 videos',
      body: '3 finished, 1 failed, stopped or need a decision.',
      address: '/videos',
    },
  ]);
});

test('an engine that starts again by itself is no news', () => {
  expect(engineNotifications({ name: 'down', againAt: 1 })).toEqual([]);
  expect(engineNotifications({ name: 'running', port: 1 })).toEqual([]);
  expect(engineNotifications({ name: 'down', againAt: null })).toMatchObject([{ address: '/' }]);
  expect(engineNotifications({ name: 'refused', sentence: 'Why.', next: null })).toMatchObject([
    { body: 'Why.' },
  ]);
});
