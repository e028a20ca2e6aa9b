/** Time to wait for a frame; a hidden page has none. */
const MAX_FRAME_MS = 100;

/** Loads the page once its frame, where it has one, is on the screen: the page's scripts would delay it. */
async function start(): Promise<void> {
  const takeEarlyMessages = collectMessages();
  if (document.getElementById('first-frame')?.hidden === false) await nextFrame();
  const { showPage } = await import('./start.tsx');
  await showPage(takeEarlyMessages);
}

/** Collects the messages to this page; the returned function ends that and returns them. In the app the main process may send one early. */
function collectMessages(): () => readonly unknown[] {
  const messages: unknown[] = [];
  const onMessage = ({ source, data }: MessageEvent<unknown>): void => {
    if (source === window) messages.push(data);
  };
  window.addEventListener('message', onMessage);
  return () => {
    window.removeEventListener('message', onMessage);
    return messages.splice(0);
  };
}

async function nextFrame(): Promise<void> {
  await new Promise<void>((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, MAX_FRAME_MS);
  });
}

/** Replaces the frame by a message: Gatehouse was replaced between the page and its scripts. */
function showFailure(): void {
  document.getElementById('first-frame')?.remove();
  const root = document.getElementById('root');
  if (root === null) return;
  root.role = 'alert';
  root.textContent = 'This page could not be loaded completely. Reload it.';
}

start().catch((error: unknown) => {
  showFailure();
  throw error;
});
