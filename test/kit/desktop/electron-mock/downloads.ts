import type { DownloadItem as ElectronItem, SaveDialogOptions } from 'electron';
import { StrictMock } from './strict-mock.ts';
import { stage } from './test-side.ts';
import { appUrl } from './page/page-server.ts';
import type { Download } from './transport/messages.ts';

const items = new Map<number, DownloadItem>();

/** A download, which the browser of the test really makes. */
export class DownloadItem
  extends StrictMock
  implements
    Pick<
      ElectronItem,
      | 'getFilename'
      | 'getSaveDialogOptions'
      | 'getSavePath'
      | 'getState'
      | 'getURL'
      | 'setSaveDialogOptions'
      | 'setSavePath'
    >
{
  readonly #download: Download;
  #path = '';
  #options: SaveDialogOptions = {};
  #state: ReturnType<ElectronItem['getState']> = 'progressing';

  constructor(download: Download) {
    super('DownloadItem', ['done', 'updated']);
    this.#download = download;
    items.set(download.id, this);
  }

  getURL(): string {
    return appUrl(this.#download.url);
  }

  getFilename(): string {
    return this.#download.filename;
  }

  getState(): ReturnType<ElectronItem['getState']> {
    return this.#state;
  }

  getSavePath(): string {
    return this.#path;
  }

  setSavePath(path: string): void {
    this.#path = path;
  }

  getSaveDialogOptions(): SaveDialogOptions {
    return this.#options;
  }

  setSaveDialogOptions(options: SaveDialogOptions): void {
    this.#options = options;
  }

  end(state: 'completed' | 'cancelled' | 'interrupted'): void {
    this.#state = state;
    items.delete(this.#download.id);
    this.emit('done', {}, state);
  }
}

/** Finds the path of a download: the one that the app set, or the one that a person chooses in the dialog. */
export async function placeOf(item: DownloadItem): Promise<string | null> {
  if (item.getSavePath() !== '') return item.getSavePath();
  const { paths } = await stage.ask('dialog', {
    kind: 'save',
    options: item.getSaveDialogOptions(),
    window: null,
  });
  if (paths[0] === undefined) item.end('cancelled');
  return paths[0] ?? null;
}

export function endDownload(id: number, state: 'completed' | 'interrupted'): void {
  items.get(id)?.end(state);
}
