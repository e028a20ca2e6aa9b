import { expect, test } from 'vitest';
import type { LimitStep } from '../../shared/money/limit-step.ts';
import { LimitId } from '../../shared/money/limit.ts';
import {
  engineNotifications,
  limitNotifications,
  screenPath,
  videoNotifications,
} from './notifications.ts';

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
      title: '4 videos have changed',
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

function aStep(percent: LimitStep['percent']): LimitStep {
  const limit = {
    id: LimitId.parse('limit-1'),
    clientId: null,
    clientName: null,
    measure: 'money',
    amount: 5_000_000,
    period: 'day',
    rolling: false,
    createdAt: 0,
    suspended: null,
    allowedOnceAt: null,
    used: percent * 50_000,
    run: null,
    resetsAt: null,
    refusedAt: null,
    refusedNeed: null,
  } as const;
  return { limit, percent, period: 'today' };
}

test('a share of a limit that was reached leads to the clients', () => {
  expect(limitNotifications([aStep(80), aStep(100)], 'USD')).toEqual([
    {
      title: '80% of the limit of all clients is used',
      body: '$4.00 of $5.00 per day are used.',
      address: '/clients',
    },
    {
      title: 'The limit of all clients is used up',
      body: '$5.00 of $5.00 per day are used. Every further request is refused.',
      address: '/clients',
    },
  ]);
});
