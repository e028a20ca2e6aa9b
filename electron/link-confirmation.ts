import { type BrowserWindow, clipboard, dialog, type MessageBoxOptions, shell } from 'electron';
import { type ExternalUrl, parseExternalUrl } from '../host/external-url.ts';

const NO_LINK =
  'Only links to the web and to mail addresses are opened. If you trust this one, copy it.';
const NO_PROGRAM = 'The system has no program for it, or did not start it.';

/** Asks before opening links of the page, so that a person sees where one leads. */
export class LinkConfirmation {
  /** Sites that are not asked about again in this run. */
  readonly #known = new Set<string>();
  #question: Promise<string | null> | null = null;

  /**
   * Asks in a dialog of the window and performs the choice. Resolves with why the link could not be opened, a sentence; `null`
   * otherwise. While one link is asked about, others are ignored.
   */
  async ask(text: string, window: BrowserWindow | null): Promise<string | null> {
    const externalUrl = parseExternalUrl(text);
    if (externalUrl === null) return NO_LINK;
    if (externalUrl.site !== null && this.#known.has(externalUrl.site))
      return await open(externalUrl);
    this.#question ??= this.#ask(externalUrl, window).finally(() => (this.#question = null));
    return await this.#question;
  }

  async #ask(externalUrl: ExternalUrl, window: BrowserWindow | null): Promise<string | null> {
    const question = toQuestion(externalUrl);
    const { response, checkboxChecked } = await (window === null
      ? dialog.showMessageBox(question)
      : dialog.showMessageBox(window, question));
    if (response === 1) await clipboard.writeText(externalUrl.url);
    if (response !== 0) return null;
    if (checkboxChecked && externalUrl.site !== null) this.#known.add(externalUrl.site);
    return await open(externalUrl);
  }
}

async function open({ url }: ExternalUrl): Promise<string | null> {
  try {
    await shell.openExternal(url);
    return null;
  } catch {
    // The error contains no further details.
    return NO_PROGRAM;
  }
}

function toQuestion({ url, site }: ExternalUrl): MessageBoxOptions {
  const question: MessageBoxOptions = {
    type: 'question',
    message: `Open this in your ${site === null ? 'mail program' : 'browser'}?`,
    detail: url,
    buttons: ['Open', 'Copy', 'Cancel'],
    defaultId: 0,
    cancelId: 2,
  };
  if (site === null) return question;
  return { ...question, checkboxLabel: `Do not ask again for ${site} until Gatehouse is quit` };
}
