import { describe, expect, it } from 'vitest';
import { makesVideos } from './model-statements.ts';

describe('a model', () => {
  it.each([
    { tags: ['video'] },
    { type: 'video' },
    { output_modalities: ['video'] },
    { tasks: ['text-to-video'] },
  ])('makes videos by %j', (fields) => {
    expect(makesVideos({ id: 'acme/one', ...fields })).toBe(true);
  });

  it.each([
    {},
    { title: 'Video' },
    { caption: 'H3 Video' },
    { tags: ['text', 'video'] },
    { input_modalities: ['text', 'video'], output_modalities: ['text'] },
    { tags: ['video-understanding'] },
  ])('makes text by %j', (fields) => {
    expect(makesVideos({ id: 'acme/video', ...fields })).toBe(false);
  });
});
