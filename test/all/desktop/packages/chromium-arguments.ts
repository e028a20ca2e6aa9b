/**
 * Arguments as Electron hands them to its main module on Linux: switches before the others, without blanks at their ends; behind `--`
 * nothing is a switch (Chromium, base/command_line.cc; electron_command_line.cc, InitializeFromCommandLine).
 */
export function asChromium(given: readonly string[]): readonly string[] {
  const trimmed = given.map((arg) => arg.replaceAll(/^[ \t\n\v\f\r]+|[ \t\n\v\f\r]+$/gu, ''));
  const last = trimmed.indexOf('--');
  const before = last < 0 ? trimmed : trimmed.slice(0, last);
  const rest = last < 0 ? [] : trimmed.slice(last);
  return [...before.filter(isSwitch), ...before.filter((arg) => !isSwitch(arg)), ...rest];
}

function isSwitch(arg: string): boolean {
  return arg.startsWith('-') && arg !== '-';
}
