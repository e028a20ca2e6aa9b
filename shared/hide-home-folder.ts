/** Replaces the home folder in a text with `~`, because it contains a user name. */
export function hideHomeFolder(text: string, home: string): string {
  if (!/[^/\\]/u.test(home)) return text;
  const literally = home.replaceAll(/[^\w\s]/g, String.raw`\$&`);
  return text.replaceAll(new RegExp(String.raw`(?<![\w.-])${literally}(?![\w-])`, 'g'), '~');
}
