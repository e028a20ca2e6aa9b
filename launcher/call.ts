/** A call of the packed program that is not the desktop app: a command line, or one call to the keychain. */
export type Call =
  | { readonly kind: 'command'; readonly args: readonly string[] }
  | { readonly kind: 'keychain' };

/** Marks a call as a command, whose arguments follow `--`. */
const COMMAND = '--command-line';
/** Every argument is put in brackets: Chromium trims arguments on Linux (base/command_line.cc) and would drop spaces at their ends. */
const FRAMED = '--command-line=framed';
const KEYCHAIN = '--keychain-call';
const FRAME = /^\[(.*)\]$/su;

/** Switches that let the packed program run as root and without a display. It draws no page, so there is nothing to sandbox. */
const WITHOUT_PAGE = ['--no-sandbox', '--no-zygote'];

/** The arguments with which the packed program makes a call to the keychain. */
export const KEYCHAIN_CALL: readonly string[] = [...WITHOUT_PAGE, KEYCHAIN];

/** Parses the arguments of the packed program, its own path first; `null` when they open the desktop app. */
export function readCall(argv: readonly string[]): Call | null {
  const end = argv.indexOf('--');
  const switches = argv.slice(1, end < 0 ? undefined : end);
  const args = end < 0 ? [] : argv.slice(end + 1);
  if (switches.includes(KEYCHAIN)) return { kind: 'keychain' };
  if (switches.includes(FRAMED)) return { kind: 'command', args: args.map(withoutFrame) };
  return switches.includes(COMMAND) ? { kind: 'command', args } : null;
}

function withoutFrame(arg: string): string {
  return FRAME.exec(arg)?.[1] ?? arg;
}
