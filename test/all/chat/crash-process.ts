import { openSandbox } from '../../../sandbox/server.ts';
import { createEngineSetup } from '../../kit/videos/engine-setup.ts';
import { createChatClient, lane } from '../../kit/chat/chat-client.ts';

/** Requests a long answer, prints its address and its id after the second save, and runs until it is killed. */
process.once('disconnect', () => process.exit(1));

const sandbox = await openSandbox();
const setup = await createEngineSetup(sandbox);
const { gateway } = await setup.start();
const chatClient = createChatClient({ gateway });
const id = await chatClient.begin([lane()]);
const words = Array.from({ length: 5000 }, (_, index) => `word${index}`).join(' ');
const [message] = await chatClient.send(id, `${words} [scenario slow-stream=50]`);
if (message === undefined) throw new Error('Nothing was asked.');
let first = '';
for await (const event of (await gateway.chat()).follow(id, undefined)) {
  if (event.kind !== 'delta') continue;
  const { text } = await chatClient.load(message.id);
  if (first === '') first = text;
  if (text.length > first.length) process.send?.({ dataDir: setup.dataDir, message: message.id });
}
