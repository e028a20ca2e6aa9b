import type { CDPSession, Page } from '@playwright/test';
import type { Control } from '../transport/messages.ts';
import type { RpcChannel } from '../transport/rpc-channel.ts';

interface Watched {
  readonly page: Page;
  readonly cdp: CDPSession;
  readonly window: number;
  readonly mock: RpcChannel<Control>;
}

/** Reports the page's own actions to the mock, and lets it do only what the app allows. */
export async function watchPage(watched: Watched): Promise<void> {
  const { cdp, page, window, mock } = watched;
  const { frameTree } = await cdp.send('Page.getFrameTree');
  const goingTo = (frameId: string | undefined, url: string) => {
    return { window, url, isMainFrame: frameId === frameTree.frame.id };
  };
  const arrive = (frameId: string, url: string): void => {
    const going = goingTo(frameId, url);
    if (going.isMainFrame) mock.tell('pageAt', going);
  };
  cdp.on('Page.frameNavigated', ({ frame }) => arrive(frame.id, frame.url));
  cdp.on('Page.navigatedWithinDocument', ({ frameId, url }) => arrive(frameId, url));
  page.on('crash', () => mock.tell('pageCrashed', { window }));
  await watchNavigation(watched, goingTo);
  watchDownloads(watched);
}

type GoingTo = (frameId: string | undefined, url: string) => Parameters<Control['mayNavigate']>[0];

/** Only what the page does is asked about: what the app or the test loads is not. */
async function watchNavigation({ cdp, page, mock }: Watched, goingTo: GoingTo): Promise<void> {
  const wanted = new Set<string>();
  cdp.on('Page.frameRequestedNavigation', ({ url }) => wanted.add(url));
  cdp.on('Fetch.requestPaused', ({ requestId, frameId, request }) => {
    const may = wanted.delete(request.url)
      ? mock.ask('mayNavigate', goingTo(frameId, request.url))
      : Promise.resolve(true);
    const go = async (): Promise<void> => {
      if (await may) await cdp.send('Fetch.continueRequest', { requestId });
      else await cdp.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
    };
    // The page or the app is gone: nobody goes anywhere.
    go().catch(() => undefined);
  });
  await cdp.send('Fetch.enable', { patterns: [{ resourceType: 'Document' }] });
  const opening: Promise<boolean>[] = [];
  cdp.on('Page.windowOpen', ({ url }) =>
    opening.push(mock.ask('mayOpen', goingTo(undefined, url))),
  );
  page.on('popup', (popup) => {
    void opening.shift()?.then((may) => (may ? undefined : popup.close()));
  });
}

let downloads = 0;

function watchDownloads({ page, mock }: Watched): void {
  page.on('download', (download) => {
    const id = (downloads += 1);
    const save = async (): Promise<void> => {
      const asked = { id, url: download.url(), filename: download.suggestedFilename() };
      const path = await mock.ask('download', asked);
      if (path === null) return await download.cancel();
      await download.saveAs(path);
      mock.tell('downloadEnded', { id, state: 'completed' });
    };
    // The test has ended before somebody said where to.
    save().catch(() => mock.tell('downloadEnded', { id, state: 'interrupted' }));
  });
}
