import { type OpenAI, toFile } from 'openai';

/** Uploads an image and orders a video of it. The SDK's own `videos.create` sends a form. */
export async function submitVideo(
  client: OpenAI,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  const file = await toFile(Buffer.from('picture'), 'cat.png');
  const stored: object = await client.files.create({ file, purpose: 'user_data' });
  const url = 'file_url' in stored ? stored.file_url : undefined;
  const body = {
    model: 'h3',
    task: 'ref2va',
    prompt: 'A cat turns its head.',
    seconds: '1',
    resolution: '480p',
    conditions: [{ type: 'image', url }],
  };
  const { task_id: id } = await client.post<{ task_id: string }>('/videos', { body, headers });
  return id;
}
