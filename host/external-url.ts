/** A link that leads out of the app. */
export interface ExternalUrl {
  /** The one form that is shown and opened: plain ASCII, without characters that a shell or a command line could misread. */
  readonly url: string;
  /** The site of the page, such as `example.org`; `null` for a mail. */
  readonly site: string | null;
}

const MAX_LENGTH = 2_048;
/** Parameters of a mail link that are passed on. A mail program may accept others, too, such as a file to attach. */
const MAIL_FIELDS: ReadonlySet<string> = new Set(['to', 'cc', 'subject', 'body']);
/** A line break in an address or a subject would start a header field that nobody sees. */
const CONTROL = /%(?:[01][\da-f]|7f)/iu;
const UNSAFE = /["'<>\\^`{|}]/gu;

/** Parses a text as an external link; `null` for anything but a mail and a web address without a user name or password. */
export function parseExternalUrl(text: string): ExternalUrl | null {
  if (text.length > MAX_LENGTH || !URL.canParse(text)) return null;
  const parsed = new URL(text);
  const url = parsed.href.replaceAll(UNSAFE, percentEncode);
  if (url.length > MAX_LENGTH) return null;
  if (parsed.protocol === 'mailto:') return isPlainMail(parsed) ? { url, site: null } : null;
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') return null;
  return parsed.username === '' && parsed.password === '' ? { url, site: parsed.host } : null;
}

function isPlainMail({ pathname, searchParams }: URL): boolean {
  return (
    /^[^/\s]*$/u.test(pathname) &&
    !CONTROL.test(pathname) &&
    [...searchParams].every(([key, value]) => {
      const name = key.toLowerCase();
      return MAIL_FIELDS.has(name) && (name === 'body' || !/\p{Cc}/u.test(value));
    })
  );
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
