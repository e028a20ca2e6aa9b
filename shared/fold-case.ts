/** Returns a text in the form in which texts are compared without case: composed (NFC), in lower case, with one form of the Greek sigma. */
export function foldCase(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ');
}
